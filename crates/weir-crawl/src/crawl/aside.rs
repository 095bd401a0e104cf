//! `--fresh`: what a crawl wrote gives way to another one, and comes back if that one cannot begin.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::CrawlError;
use crate::config::FRONTIER;

/// The folder, in that of the crawl, of what is thrown away as soon as the new crawl has begun.
const ASIDE: &str = "fresh.tmp";
/// What a crawl writes besides its frontier. All else is the user's, or holds for the next crawl too: what was used of a budget stays
/// used, and what is known of servers and sites stays known.
const OUTPUT: [&str; 3] = ["warc", "pages", "store"];

/// An old crawl that was put aside.
///
/// The frontier's log is the first to go and the last to come back. So after a kill, a folder with a log has a whole crawl, and what
/// was put aside there may go; a folder without one gets back what was put aside.
pub(super) struct Aside {
    out: PathBuf,
}

impl Aside {
    /// What some process is at work with is not touched.
    pub fn put(out: &Path) -> Result<Aside, CrawlError> {
        let aside = Aside { out: out.to_owned() };
        let _held = aside.hold()?;
        weir_frontier::put_aside(&aside.frontier(), &aside.folder().join(FRONTIER))?;
        for name in OUTPUT {
            move_there(&out.join(name), &aside.folder().join(name))?;
        }
        Ok(aside)
    }

    /// Ends what a kill has left half done.
    pub fn mend(out: &Path) -> Result<(), CrawlError> {
        let aside = Aside { out: out.to_owned() };
        if !aside.folder().exists() {
            return Ok(());
        }
        let _held = aside.hold()?;
        if weir_frontier::is_there(&aside.frontier()) { aside.remove() } else { aside.return_all() }
    }

    /// The new crawl has begun.
    pub fn throw_away(self) -> Result<(), CrawlError> {
        self.remove()
    }

    /// The new crawl cannot begin: what there is of it goes.
    pub fn put_back(self) -> Result<(), CrawlError> {
        let _held = self.hold()?;
        for name in OUTPUT {
            remove(&self.out.join(name))?;
        }
        weir_frontier::clear(&self.frontier())?;
        self.return_all()
    }

    fn return_all(&self) -> Result<(), CrawlError> {
        for name in OUTPUT {
            move_there(&self.folder().join(name), &self.out.join(name))?;
        }
        let frontier = self.folder().join(FRONTIER);
        if frontier.exists() {
            weir_frontier::put_back(&frontier, &self.frontier())?;
        }
        self.remove()
    }

    fn remove(&self) -> Result<(), CrawlError> {
        remove(&self.folder())
    }

    fn hold(&self) -> Result<File, CrawlError> {
        Ok(weir_frontier::hold(&self.frontier())?)
    }

    fn frontier(&self) -> PathBuf {
        self.out.join(FRONTIER)
    }

    fn folder(&self) -> PathBuf {
        self.out.join(ASIDE)
    }
}

/// Nothing happens if there is nothing to move.
fn move_there(from: &Path, to: &Path) -> Result<(), CrawlError> {
    unless_missing(fs::rename(from, to), "move", from)
}

fn remove(path: &Path) -> Result<(), CrawlError> {
    unless_missing(fs::remove_dir_all(path), "clear", path)
}

fn unless_missing(
    done: std::io::Result<()>,
    what: &'static str,
    path: &Path,
) -> Result<(), CrawlError> {
    match done {
        Err(why) if why.kind() != ErrorKind::NotFound => {
            Err(CrawlError::Io { what, path: path.to_owned(), why })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 4] =
        ["frontier/log", "frontier/queues/1", "warc/1.warc.gz", "pages/1.parquet"];

    fn folder(texts: &str) -> tempfile::TempDir {
        let out = tempfile::tempdir().unwrap();
        write(out.path(), &FILES, texts);
        fs::write(out.path().join("mine.txt"), "mine").unwrap();
        out
    }

    fn write(out: &Path, files: &[&str], text: &str) {
        for file in files {
            fs::create_dir_all(out.join(file).parent().unwrap()).unwrap();
            fs::write(out.join(file), text).unwrap();
        }
    }

    fn read(out: &Path) -> Vec<Option<String>> {
        FILES.iter().map(|file| fs::read_to_string(out.join(file)).ok()).collect()
    }

    fn all(text: &str) -> Vec<Option<String>> {
        vec![Some(text.to_owned()); FILES.len()]
    }

    #[test]
    fn a_crawl_that_cannot_begin_leaves_the_old_one_as_it_was() {
        let out = folder("old");
        let aside = Aside::put(out.path()).unwrap();
        assert_eq!(read(out.path()), vec![None; FILES.len()]);
        write(out.path(), &FILES[..3], "new");
        aside.put_back().unwrap();
        assert_eq!(read(out.path()), all("old"));
        assert!(!out.path().join(ASIDE).exists() && out.path().join("mine.txt").exists());
    }

    #[test]
    fn a_crawl_that_has_begun_takes_the_place_of_the_old_one() {
        let out = folder("old");
        let aside = Aside::put(out.path()).unwrap();
        write(out.path(), &FILES, "new");
        aside.throw_away().unwrap();
        assert_eq!(read(out.path()), all("new"));
        assert!(!out.path().join(ASIDE).exists() && out.path().join("mine.txt").exists());
    }

    #[test]
    fn whenever_it_is_killed_there_is_one_crawl_and_it_is_whole() {
        // Each file of the old crawl on its own may have been moved, in this order, and back in the other one.
        for moved in 0..=FILES.len() {
            let out = folder("old");
            for file in &FILES[..moved] {
                write(&out.path().join(ASIDE), &[file], "old");
                fs::remove_file(out.path().join(file)).unwrap();
            }
            if moved > 2 {
                fs::remove_dir(out.path().join("warc")).unwrap();
            }
            Aside::mend(out.path()).unwrap();
            assert_eq!(read(out.path()), all("old"), "{moved} moved");
        }
        let out = folder("new");
        write(&out.path().join(ASIDE), &FILES, "old");
        Aside::mend(out.path()).unwrap();
        assert_eq!(read(out.path()), all("new"));
        assert!(!out.path().join(ASIDE).exists());
    }
}
