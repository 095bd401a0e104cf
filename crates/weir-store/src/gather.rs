use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::label::kept_label;
use crate::names::{Kind, UNFINISHED, store_dir, unfinished};
use crate::reopen::{delete, delete_where, names_in};
use crate::syncer::sync_folder;

/// What a gathering came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// WARC and Parquet files of the stores that `root` has now.
    pub files: u64,
    /// Of these, how many it did not have before, or had in an older state.
    pub added: u64,
    /// Files of an earlier gathering that their store no longer has.
    pub removed: u64,
}

/// Makes the WARC and Parquet files of several stores appear in `root/warc` and `root/pages`, under
/// the same names, as if one store had written them. They are the same files under a second name
/// (hard links), and copies only where the file system has none.
///
/// Each store must have a label of its own; one that has kept nothing yet may be named, too. What
/// lies in `root` under other labels, or none, is left alone. It may be called again at any time,
/// and after having been killed at any moment: then it finishes. Links to a store that is still
/// being written grow with it; copies are as of now.
pub fn gather(root: &Path, stores: &[PathBuf]) -> Result<Gathered, StoreError> {
    let labels = labels(root, stores)?;
    let mut gathered = Gathered::default();
    for kind in Kind::ALL {
        let there = bring_all(kind, root, &labels, &mut gathered)?;
        gathered.removed += remove_others(kind, root, &labels, &there)?;
        if kind.folder(root).is_dir() {
            sync_folder(&kind.folder(root))?;
        }
    }
    Ok(gathered)
}

/// The folder of each label.
type Labels = BTreeMap<String, PathBuf>;

/// Two of one label, `root` itself included, would be taken for each other: the files of the one
/// would replace those of the other.
fn labels(root: &Path, stores: &[PathBuf]) -> Result<Labels, StoreError> {
    let wrong = |path: &Path, why: String| StoreError::Label { path: path.to_owned(), why };
    let own = kept_label(root)?;
    let mut labels = Labels::new();
    for dir in stores.iter().filter(|dir| store_dir(dir).is_dir()) {
        let Some(label) = kept_label(dir)? else {
            let why =
                "it has no label, by which its files would be known; it was begun without one";
            return Err(wrong(dir, why.to_owned()));
        };
        let before = labels.insert(label.clone(), dir.clone());
        let before = before.or_else(|| (own.as_ref() == Some(&label)).then(|| root.to_owned()));
        if let Some(before) = before {
            let before = before.display();
            return Err(wrong(dir, format!("{before} has the label {label} already")));
        }
    }
    Ok(labels)
}

fn bring_all(
    kind: Kind,
    root: &Path,
    labels: &Labels,
    gathered: &mut Gathered,
) -> Result<BTreeSet<String>, StoreError> {
    let to = kind.folder(root);
    let mut there = BTreeSet::new();
    for (label, dir) in labels {
        let from = kind.folder(dir);
        let is_its = |name: &String| label_of(kind, name) == Some(label);
        for name in names_in(&from)?.into_iter().filter(is_its) {
            fs::create_dir_all(&to).map_err(StoreError::io(&to, "make the folder"))?;
            match bring(&from.join(&name), &to.join(&name))? {
                Brought::Nothing => continue,
                Brought::Anew => gathered.added += 1,
                Brought::Before => {}
            }
            there.insert(name);
        }
    }
    gathered.files += there.len() as u64;
    Ok(there)
}

/// Files of these labels that are not in `there`, and what a gathering that was killed left.
fn remove_others(
    kind: Kind,
    root: &Path,
    labels: &Labels,
    there: &BTreeSet<String>,
) -> Result<u64, StoreError> {
    let to = kind.folder(root);
    let is_known = |name: &str| label_of(kind, name).is_some_and(|it| labels.contains_key(it));
    delete_where(&to, |name| name.strip_suffix(UNFINISHED).is_some_and(is_known))?;
    delete_where(&to, |name| is_known(name) && !there.contains(name))
}

fn label_of(kind: Kind, name: &str) -> Option<&str> {
    kind.parse(name)?.0
}

enum Brought {
    /// It was there as it is.
    Before,
    Anew,
    /// The store has deleted it meanwhile.
    Nothing,
}

/// Puts the file there in one step: whoever reads finds the old one or the new one, whole.
fn bring(from: &Path, to: &Path) -> Result<Brought, StoreError> {
    let Some(source) = metadata(from)? else { return Ok(Brought::Nothing) };
    if metadata(to)?.is_some_and(|old| is_same(&source, &old)) {
        return Ok(Brought::Before);
    }
    let new = unfinished(to);
    delete(&new)?;
    match fs::hard_link(from, &new) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Brought::Nothing),
        // Another device, or a file system without links: if it is neither, copying says so.
        Err(_) => copy(from, &new)?,
    }
    fs::rename(&new, to).map_err(StoreError::io(to, "rename to"))?;
    Ok(Brought::Anew)
}

/// With the time of the original, by which it is known the next time.
fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let modified = |path: &Path| path.metadata().and_then(|it| it.modified());
    // Before it is copied: if it grows meanwhile, the copy counts as an old one.
    let time = modified(from).map_err(StoreError::io(from, "read"))?;
    fs::copy(from, to).map_err(StoreError::io(to, "copy a file to"))?;
    let file = File::options().write(true).open(to).map_err(StoreError::io(to, "open"))?;
    file.set_modified(time).map_err(StoreError::io(to, "set the time of"))?;
    file.sync_all().map_err(StoreError::io(to, "sync"))
}

/// A link is the same file and so has the same of both; a copy was given them.
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let times = (one.modified().ok(), other.modified().ok());
    one.len() == other.len() && times.0.is_some() && times.0 == times.1
}

fn metadata(path: &Path) -> Result<Option<Metadata>, StoreError> {
    match path.metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path, "read")(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreConfig};

    /// A folder with stores of these labels in it, each of which has these files.
    fn stores(labels: &[&str], names: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let root = tempfile::tempdir().unwrap();
        let folder = |label: &&str| root.path().join("downloaders").join(label);
        let dirs: Vec<PathBuf> = labels.iter().map(folder).collect();
        for (dir, label) in dirs.iter().zip(labels) {
            drop(Store::open(config(dir, Some(label)), None).unwrap());
            names.iter().for_each(|name| put(dir, &name.replace("LABEL", label), label));
        }
        (root, dirs)
    }

    const NAMES: [&str; 3] =
        ["warc/weir-LABEL-000001.warc.gz", "warc/weir-LABEL-000002.warc.gz", PAGES];
    const PAGES: &str = "pages/pages-LABEL-000001.parquet";

    fn config(dir: &Path, label: Option<&str>) -> StoreConfig {
        StoreConfig { label: label.map(str::to_owned), ..StoreConfig::new(dir) }
    }

    fn put(dir: &Path, name: &str, text: &str) {
        fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
        fs::write(dir.join(name), text).unwrap();
    }

    /// Names and texts of all that was gathered.
    fn found(root: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for kind in Kind::ALL {
            for name in names_in(&kind.folder(root)).unwrap() {
                let text = fs::read_to_string(kind.folder(root).join(&name)).unwrap();
                found.push((name, text));
            }
        }
        found.sort();
        found
    }

    fn counts(files: u64, added: u64, removed: u64) -> Gathered {
        Gathered { files, added, removed }
    }

    #[test]
    fn finished_files_of_all_stores_are_in_one_folder_however_often_they_are_gathered() {
        let (root, dirs) = stores(&["a", "b", "empty"], &NAMES);
        let none = root.path().join("downloaders/not_begun");
        NAMES
            .iter()
            .for_each(|it| fs::remove_file(dirs[2].join(it.replace("LABEL", "empty"))).unwrap());
        put(&dirs[0], "pages/pages-a-000002.parquet.tmp", "half");
        put(&dirs[0], "warc/weir-b-000009.warc.gz", "of another label");
        put(root.path(), "warc/weir-000001.warc.gz", "root's own");
        put(root.path(), "warc/weir-c-000001.warc.gz", "of nobody here");
        let all = [dirs, vec![none]].concat();
        assert_eq!(gather(root.path(), &all).unwrap(), counts(6, 6, 0));
        let once = found(root.path());
        let texts: Vec<&str> = once.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["a", "b", "root's own", "a", "a", "b", "b", "of nobody here"]);
        assert_eq!(gather(root.path(), &all).unwrap(), counts(6, 0, 0));
        assert_eq!(found(root.path()), once);
    }

    #[test]
    fn what_changes_in_a_store_changes_where_it_was_gathered() {
        let (root, dirs) = stores(&["a", "b"], &NAMES);
        gather(root.path(), &dirs).unwrap();
        fs::remove_file(dirs[0].join("warc/weir-a-000002.warc.gz")).unwrap();
        // Another file under the same name, as when a store was cut back and went on.
        fs::remove_file(dirs[1].join("pages/pages-b-000001.parquet")).unwrap();
        put(&dirs[1], "pages/pages-b-000001.parquet", "anew");
        assert_eq!(gather(root.path(), &dirs).unwrap(), counts(5, 1, 1));
        let texts: Vec<String> = found(root.path()).into_iter().map(|it| it.1).collect();
        assert_eq!(texts, ["a", "anew", "a", "b", "b"]);
        assert_eq!(gather(root.path(), &dirs[..1]).unwrap(), counts(2, 0, 0), "b is left alone");
        assert_eq!(found(root.path()).len(), 5);
    }

    #[test]
    fn a_gathering_that_was_killed_is_finished_by_the_next() {
        let (root, dirs) = stores(&["a", "b"], &NAMES);
        gather(root.path(), &dirs).unwrap();
        let whole = found(root.path());
        for (name, text) in [("weir-a-000001.warc.gz", "ha"), ("weir-b-000002.warc.gz", "")] {
            fs::remove_file(root.path().join("warc").join(name)).unwrap();
            put(root.path(), &format!("warc/{name}.tmp"), text);
        }
        fs::hard_link(
            dirs[0].join("pages/pages-a-000001.parquet"),
            root.path().join("pages/pages-a-000001.parquet.tmp"),
        )
        .unwrap();
        assert_eq!(gather(root.path(), &dirs).unwrap(), counts(6, 2, 0));
        assert_eq!(found(root.path()), whole);
    }

    #[test]
    fn a_copy_is_as_good_as_a_link_until_its_store_goes_on() {
        let (root, dirs) = stores(&["a"], &NAMES[..1]);
        let (from, to) = (dirs[0].join("warc/weir-a-000001.warc.gz"), root.path().join("copy"));
        copy(&from, &to).unwrap();
        assert!(matches!(bring(&from, &to).unwrap(), Brought::Before));
        put(&dirs[0], "warc/weir-a-000001.warc.gz", "a and more");
        assert!(matches!(bring(&from, &to).unwrap(), Brought::Anew));
        assert_eq!(fs::read_to_string(&to).unwrap(), "a and more");
        fs::remove_file(&from).unwrap();
        assert!(matches!(bring(&from, &to).unwrap(), Brought::Nothing));
    }

    #[test]
    fn stores_that_would_be_taken_for_each_other_are_refused() {
        let (root, dirs) = stores(&["a", "b"], &NAMES);
        let twin = root.path().join("twin");
        let plain = root.path().join("plain");
        drop(Store::open(config(&twin, Some("b")), None).unwrap());
        drop(Store::open(config(&plain, None), None).unwrap());
        let refused = |root: &Path, more: &Path| {
            let all = [dirs.clone(), vec![more.to_owned()]].concat();
            let why = gather(root, &all).unwrap_err().to_string();
            assert!(!root.join("warc/weir-a-000001.warc.gz").exists(), "{why}");
            why
        };
        assert!(refused(root.path(), &twin).contains("has the label b already"));
        assert!(refused(root.path(), &plain).contains("no label"));
        assert!(refused(&twin, &plain).contains("has the label b already"));
    }
}
