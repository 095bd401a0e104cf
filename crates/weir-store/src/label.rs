use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::names::{Kind, store_dir, unfinished};
use crate::syncer::sync_folder;
use crate::{StoreConfig, StoreError};

const LONGEST: usize = 32;

/// Whether files can be told apart by this label; the error is the remedy.
pub fn check_label(label: &str) -> Result<(), &'static str> {
    match is_label(label) {
        true => Ok(()),
        false => Err("write 1 to 32 ASCII letters, digits and underscores, such as d1"),
    }
}

pub(crate) fn is_label(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(good)
}

/// The label of the store in this folder. It stands in a file, so that whoever reads the folder
/// knows the names without being told.
pub(crate) fn kept_label(dir: &Path) -> Result<Option<String>, StoreError> {
    let path = label_path(dir);
    match fs::read_to_string(&path) {
        Ok(label) if is_label(&label) => Ok(Some(label)),
        Ok(other) => Err(StoreError::corrupt(&path, format!("{other:?} is no label"))),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            io::ErrorKind::InvalidData => Err(StoreError::corrupt(&path, "it is no text")),
            _ => Err(StoreError::io(&path, "read")(error)),
        },
    }
}

/// Keeps the label of a store that begins, and refuses any other for one that has begun: files
/// under the old names would neither be found nor cut back. It must be called when there is
/// `store/`, and before there are folders for what carries the label: by these it is known that
/// a store has begun.
pub(crate) fn keep_label(config: &StoreConfig) -> Result<(), StoreError> {
    let dir = &config.dir;
    let kept = kept_label(dir)?;
    let begun = kept.is_some() || Kind::ALL.iter().any(|kind| kind.folder(dir).is_dir());
    match &config.label {
        wanted if *wanted == kept => Ok(()),
        Some(label) if !begun => write(&label_path(dir), label),
        wanted => Err(StoreError::Label {
            path: dir.clone(),
            why: format!(
                "the store there was begun {}, and is now to be opened {}; open it as it was \
                 begun, or name another folder",
                words(kept.as_deref()),
                words(wanted.as_deref())
            ),
        }),
    }
}

/// As durable as a mark may come to be: a store whose label is lost could not be opened again.
fn write(path: &Path, label: &str) -> Result<(), StoreError> {
    let new = unfinished(path);
    let mut file = File::create(&new).map_err(StoreError::io(&new, "create"))?;
    file.write_all(label.as_bytes()).map_err(StoreError::io(&new, "write"))?;
    file.sync_all().map_err(StoreError::io(&new, "sync"))?;
    fs::rename(&new, path).map_err(StoreError::io(path, "rename to"))?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn label_path(dir: &Path) -> PathBuf {
    store_dir(dir).join("label")
}

fn words(label: Option<&str>) -> String {
    label.map_or_else(|| "without a label".to_owned(), |label| format!("with the label {label}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    fn config(dir: &Path, label: Option<&str>) -> StoreConfig {
        StoreConfig { label: label.map(str::to_owned), ..StoreConfig::new(dir) }
    }

    fn refusal(config: StoreConfig) -> String {
        let refused = Store::open(config, None).map(drop);
        assert!(matches!(refused, Err(StoreError::Label { .. })), "{refused:?}");
        refused.unwrap_err().to_string()
    }

    #[test]
    fn a_label_that_names_could_not_carry_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for label in ["", "a-b", "a/b", "..", "ä", "a b", &"x".repeat(33)] {
            assert!(check_label(label).is_err(), "{label}");
            let said = refusal(config(dir.path(), Some(label)));
            assert!(said.contains(&format!("{label:?}")) && said.contains("32 ASCII"), "{said}");
        }
        assert!(!store_dir(dir.path()).exists(), "nothing was made");
        assert!(check_label(&"x".repeat(32)).is_ok() && check_label("_1").is_ok());
    }

    #[test]
    fn a_store_keeps_the_label_it_was_begun_with() {
        for (first, second) in [(Some("a"), Some("b")), (Some("a"), None), (None, Some("b"))] {
            let dir = tempfile::tempdir().unwrap();
            for _ in 0..2 {
                drop(Store::open(config(dir.path(), first), None).unwrap());
                assert_eq!(kept_label(dir.path()).unwrap().as_deref(), first);
            }
            let said = refusal(config(dir.path(), second));
            assert!(said.contains("begun with") && said.contains("another folder"), "{said}");
        }
    }

    #[test]
    fn a_store_that_was_killed_before_it_had_its_label_gets_it() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(store_dir(dir.path())).unwrap();
        fs::write(unfinished(&label_path(dir.path())), "").unwrap();
        drop(Store::open(config(dir.path(), Some("a")), None).unwrap());
        assert_eq!(kept_label(dir.path()).unwrap().as_deref(), Some("a"));
    }

    #[test]
    fn a_damaged_label_is_named() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open(config(dir.path(), Some("a")), None).unwrap());
        for damage in [&b"a-b"[..], b"", b"\xff"] {
            fs::write(label_path(dir.path()), damage).unwrap();
            let refused = Store::open(config(dir.path(), Some("a")), None).map(drop).unwrap_err();
            assert!(refused.to_string().contains("store/label is damaged"), "{refused}");
        }
    }
}
