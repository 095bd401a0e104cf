//! What users install, made and tried: `weir` as a Debian package, `weir-spark` as a wheel for Python.
//!
//! A product that lacks something or does not run is a failure, so what lies in `target/package` at the end can be
//! handed on. What goes into the Debian package stands in `crates/webweir/Cargo.toml`.

#[cfg(test)]
mod assets;
mod deb;
mod generated;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Job, target_folder};

/// What is in the way, for whoever called.
type Result<T> = std::result::Result<T, String>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    Deb,
    Wheel,
}

/// False if something could not be made, or does not do what it is for.
pub fn run(which: Which) -> bool {
    match make(which) {
        Ok(made) => made.iter().all(|product| tell(product)),
        Err(why) => {
            eprintln!("\nno package: {why}");
            false
        }
    }
}

fn make(which: Which) -> Result<Vec<PathBuf>> {
    let folder = target_folder().join("package");
    fs::create_dir_all(&folder).map_err(|why| cannot("make", &folder, &why))?;
    let trial = target_folder().join("package-trial");
    let mut made = Vec::new();
    if which != Which::Wheel {
        let deb = deb::make(&empty(&trial.join("deb"))?)?;
        deb::try_out(&deb)?;
        made.push(place(&deb, &folder)?);
    }
    if which != Which::Deb {
        let wheel = wheel::make(&empty(&trial.join("wheel"))?)?;
        wheel::try_out(&wheel)?;
        made.push(place(&wheel, &folder)?);
    }
    Ok(made)
}

/// Only what was tried is put where people look for it.
fn place(product: &Path, folder: &Path) -> Result<PathBuf> {
    let name = product.file_name().ok_or_else(|| cannot("name", product, &"it has none"))?;
    let placed = folder.join(name);
    fs::rename(product, &placed).map_err(|why| cannot("move", product, &why))?;
    Ok(placed)
}

fn tell(product: &Path) -> bool {
    match fs::metadata(product) {
        Ok(data) => {
            let megabytes = data.len() as f64 / 1e6;
            println!("{}  {megabytes:.1} MB", product.display());
            true
        }
        Err(why) => {
            eprintln!("{}", cannot("read", product, &why));
            false
        }
    }
}

/// A folder with nothing in it.
fn empty(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|why| cannot("empty", folder, &why))?;
    }
    fs::create_dir_all(folder).map_err(|why| cannot("make", folder, &why))?;
    Ok(folder.to_path_buf())
}

/// The only file in a folder that ends so.
fn only_file(folder: &Path, ending: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).map_err(|why| cannot("read", folder, &why))?;
    let mut found = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == ending));
    match (found.next(), found.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(format!("there is not one .{ending} in {}", folder.display())),
    }
}

fn must(job: Job, what: &str) -> Result<()> {
    job.run().then_some(()).ok_or_else(|| format!("{what} failed, see above"))
}

fn cannot(what: &str, path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("cannot {what} {}: {why}", path.display())
}
