//! Which stores the named folders have, and how far each is committed.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use weir_crawl::{FRONTIER, STORE_NOTE};
use weir_store::Source;

use crate::exit::WrongUse;

/// What there is to export.
pub struct Found {
    pub sources: Vec<Source>,
    /// At least one of the crawls is.
    pub running: bool,
}

pub fn find(folders: &[PathBuf]) -> Result<Found> {
    let mut found = Found { sources: Vec::new(), running: false };
    for folder in folders {
        found.sources.extend(stores(folder)?);
        let frontier = folder.join(FRONTIER);
        found.running |= has_journal(folder) && weir_frontier::is_in_use(&frontier)?;
    }
    refuse_repeated(&found.sources)?;
    Ok(found)
}

/// The folder's own store and those of its downloaders.
fn stores(folder: &Path) -> Result<Vec<Source>> {
    let shown = folder.display();
    if !folder.is_dir() {
        bail!("there is no folder {shown}: name the folder of a crawl with -o DIR");
    }
    let mut sources = of_downloaders(folder)?;
    if sources.is_empty() && !has_journal(folder) && !has_pages(folder) {
        bail!("no crawl in {shown}: name its folder with -o DIR");
    }
    let own = Source { dir: folder.to_owned(), mark: mark(folder)? };
    // Beside those of downloaders, `pages/` alone is no store: it may be theirs, gathered.
    let is_store = has_pages(folder) && (own.mark.is_some() || folder.join("store").is_dir());
    if is_store || sources.is_empty() {
        sources.insert(0, own);
    }
    Ok(sources)
}

/// Each downloader has a folder in `downloaders/`; one that has kept nothing yet has no store there.
fn of_downloaders(folder: &Path) -> Result<Vec<Source>> {
    let all = folder.join("downloaders");
    let entries = match fs::read_dir(&all) {
        Ok(entries) => entries,
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(why).with_context(|| format!("could not read {}", all.display())),
    };
    let mut dirs = Vec::new();
    for entry in entries {
        dirs.push(entry.with_context(|| format!("could not read {}", all.display()))?.path());
    }
    dirs.sort();
    let mut sources = Vec::new();
    for dir in dirs.into_iter().filter(|dir| dir.is_dir()) {
        let mark = mark(&dir)?;
        if mark.is_some() || has_pages(&dir) {
            sources.push(Source { dir, mark });
        }
    }
    Ok(sources)
}

/// How far the store in a folder is committed, by the journal of whoever writes it: a crawl has a
/// frontier, a downloader a spool.
fn mark(dir: &Path) -> Result<Option<Vec<u8>>> {
    match dir.join("spool").is_dir() {
        true => Ok(weir_spool::committed(dir)?),
        false => Ok(weir_frontier::last_note(&dir.join(FRONTIER), STORE_NOTE)?),
    }
}

fn has_journal(dir: &Path) -> bool {
    weir_frontier::is_there(&dir.join(FRONTIER))
}

fn has_pages(dir: &Path) -> bool {
    dir.join("pages").is_dir()
}

/// Its rows would be there twice, which nobody wants; a slip is more likely.
fn refuse_repeated(sources: &[Source]) -> Result<()> {
    let mut seen: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for Source { dir, .. } in sources {
        let path =
            dir.canonicalize().with_context(|| format!("could not read {}", dir.display()))?;
        if let Some(before) = seen.insert(path, dir) {
            let (before, again) = (before.display(), dir.display());
            let why = match before.to_string() == again.to_string() {
                true => format!("-o {again} is given twice; name each folder once"),
                false => format!("-o {before} and {again} are the same folder; name it once"),
            };
            return Err(WrongUse(why).into());
        }
    }
    Ok(())
}
