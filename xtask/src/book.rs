//! The documentation as a site: built by mdBook, its links checked by crawling it with weir (`tests/book`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::needs::cache_folder;
use crate::shell::{Job, build_all, cargo, find_program, root_of_project, target_folder};
use crate::tally::Tally;

const VERSION: &str = "0.5.4";
/// Beside the Markdown at the root, what pages link to. It is copied as it lies here, so that links stay as they are.
const PARTS: [&str; 3] = ["docs", "examples", "bench/README.md"];

pub struct Mdbook(PathBuf);

impl Mdbook {
    /// Where this version is not in the cache, it is built before this returns (some minutes, once).
    pub fn install() -> Option<Mdbook> {
        let folder = cache_folder()?.join("mdbook");
        let program = folder.join("bin/mdbook");
        let version = || Job::new(&program).args(["--version"]).read().unwrap_or_default();
        let is_there = || version().trim() == format!("mdbook v{VERSION}");
        // Not where the project is built: hundreds of megabytes would stay there that nobody needs again.
        let build = folder.join("build");
        let install = || {
            let good = cargo(["install", "mdbook", "--version", VERSION, "--locked", "--quiet"])
                // Not optimised: it builds in half the time, and a book in two seconds.
                .args(["--debug", "--no-default-features", "--features", "search", "--root"])
                .args([&folder, Path::new("--target-dir"), &build])
                .run();
            // What is left there would be built over at the next version.
            good && fs::remove_dir_all(&build).is_ok()
        };
        (is_there() || install() && is_there()).then_some(Mdbook(program))
    }
}

/// For whoever has changed the pages, or the code that the reference is made from.
pub fn run() -> bool {
    let Some(mdbook) = Mdbook::install() else {
        eprintln!("mdbook {VERSION} could not be installed (cargo install, a package registry)");
        return false;
    };
    let good = build_all() && write_reference() && build(&mdbook) && check();
    println!("the book: {}", folder().join("html/index.html").display());
    good
}

/// The pages as they are, with what the tests have built already; and that the check finds what it is there to find.
pub fn test(mdbook: Option<Mdbook>, tally: &mut Tally) {
    let Some(mdbook) = mdbook else {
        return tally
            .skip("book: mdbook could not be installed (cargo install, a package registry)");
    };
    if find_program("python3").is_none() {
        return tally.skip("book: there is no python3");
    }
    let is_built = build_all() && build(&mdbook);
    tally.step("build of the book", is_built);
    if is_built {
        note(tally, "links of the book", check());
        note(tally, "test of their check", planted(&mdbook));
    }
}

fn note(tally: &mut Tally, step: &str, good: bool) {
    tally.count(u64::from(good), u64::from(!good));
    tally.step(step, good);
}

/// A test of the command holds these pages to the code; told to, it writes them first.
fn write_reference() -> bool {
    let tests = ["test", "--quiet", "--workspace", "--bin", "weir", "reference::"];
    cargo(tests).env("WEIR_WRITE_REFERENCE", "1").run()
}

fn build(mdbook: &Mdbook) -> bool {
    if let Err(why) = lay_out(&folder()) {
        eprintln!("cannot copy the pages to {}: {why}", folder().display());
        return false;
    }
    Job::new(&mdbook.0).args(["build"]).args([folder()]).run()
}

fn check() -> bool {
    let job = Job::new("python3").args(["tests/book/check.py", "--weir"]).args([weir()]);
    job.args([folder().join("html")]).run()
}

fn planted(mdbook: &Mdbook) -> bool {
    let job = Job::new("python3").args(["tests/book/test_check.py"]);
    job.args([&weir(), &mdbook.0, &folder()]).run()
}

fn weir() -> PathBuf {
    target_folder().join("debug/weir")
}

fn folder() -> PathBuf {
    target_folder().join("book")
}

/// A folder that mdBook takes, with nothing in it from the last time.
fn lay_out(folder: &Path) -> io::Result<()> {
    let root = root_of_project();
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let source = folder.join("src");
    PARTS.iter().try_for_each(|part| copy(&root.join(part), &source.join(part)))?;
    for file in fs::read_dir(&root)? {
        let file = file?;
        if is_markdown(&file.path()) {
            copy(&file.path(), &source.join(file.file_name()))?;
        }
    }
    fs::rename(source.join("docs/book.toml"), folder.join("book.toml"))?;
    let summary = fs::read_to_string(source.join("docs/SUMMARY.md"))?;
    fs::write(source.join("SUMMARY.md"), from_root(&summary))
}

/// A file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        return fs::copy(from, to).map(|_| ());
    }
    fs::read_dir(from)?.try_for_each(|entry| {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))
    })
}

/// The list of pages with links as seen from the root of the project, where the book begins.
fn from_root(summary: &str) -> String {
    let mut parts = summary.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.strip_prefix("../") {
        Some(outside) => format!("{text}]({outside}"),
        None => format!("{text}](docs/{part}"),
    })
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_list_of_pages() {
        let docs = root_of_project().join("docs");
        let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
        let mut folders = vec![docs.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&docs).unwrap().display().to_string();
                if path.is_dir() {
                    folders.push(path);
                } else if is_markdown(&path) && name != "SUMMARY.md" {
                    let link = format!("]({name})");
                    assert!(summary.contains(&link), "docs/SUMMARY.md does not have {name}");
                }
            }
        }
    }

    #[test]
    fn links_of_the_list_are_seen_from_the_root() {
        let list = "[weir](../README.md)\n- [limits](limit.md)\n- [keys](reference/keys.md)";
        let seen = "[weir](README.md)\n- [limits](docs/limit.md)\n- [keys](docs/reference/keys.md)";
        assert_eq!(from_root(list), seen);
    }
}
