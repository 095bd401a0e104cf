//! The pages of `docs/reference`, made of what the command is made of. They are in the repository for whoever reads it,
//! and these tests hold them to the code; `cargo xtask book` writes them anew.

mod commands;
mod exit_codes;
mod keys;
mod metrics;
mod reports;

use std::fs;
use std::path::Path;

/// Set, the pages are written before they are looked at.
const WRITE: &str = "WEIR_WRITE_REFERENCE";

/// Whether a page is there as it should be.
fn hold(name: &str, page: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let file = folder.join(name);
    if std::env::var_os(WRITE).is_some() {
        fs::create_dir_all(&folder).and_then(|()| fs::write(&file, page)).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(there == page, "{name} is not what the code says: `cargo xtask book` writes it anew");
}

/// Under the title of each page.
const MADE: &str = "<!-- Made from the code by `cargo xtask book`: change it there. -->";

/// A cell of a table in Markdown: one line, in which nothing ends the cell or begins a tag.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('|', "\\|").replace('<', "&lt;")
}
