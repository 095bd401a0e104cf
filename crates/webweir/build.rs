//! Tells the command which commit it is made of, for `weir --version`.
//!
//! Only this package is built again when the commit is another one; nothing else of the project knows of it.

mod commit;

use std::env;
use std::path::Path;

use commit::Commit;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=commit.rs");
    let version = env!("CARGO_PKG_VERSION");
    // Asked for when it runs: several checkouts may share what was built, this program included.
    let folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = Path::new(&folder).join("../..");
    let told = match Commit::of(&root) {
        Some(commit) => {
            for file in &commit.watched {
                println!("cargo::rerun-if-changed={}", file.display());
            }
            format!("{version} ({})", commit.hash)
        }
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=WEIR_VERSION={told}");
}
