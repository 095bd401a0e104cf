use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::label::{is_label, kept_label};
use crate::reopen::names_in;

/// What the files of a store are called, and where they are. All names are made and read in this
/// file: `reopen` deletes by them what no mark covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    pub dir: PathBuf,
    /// Stands in the names of finished files, so that those of several stores can share a folder.
    pub label: Option<String>,
}

/// The files that are for others, and stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Warc,
    Pages,
}

impl Names {
    /// Of the store that is in this folder, whatever its label.
    pub fn kept_in(dir: &Path) -> Result<Names, StoreError> {
        Ok(Names { dir: dir.to_owned(), label: kept_label(dir)? })
    }

    pub fn name(&self, kind: Kind, number: u32) -> String {
        kind.name(self.label.as_deref(), number)
    }

    pub fn path(&self, kind: Kind, number: u32) -> PathBuf {
        kind.folder(&self.dir).join(self.name(kind, number))
    }

    /// The number in a name that this store gives.
    pub fn number(&self, kind: Kind, name: &str) -> Option<u32> {
        let (label, number) = kind.parse(name)?;
        (label == self.label.as_deref()).then_some(number)
    }

    pub fn rows_path(&self, number: u32) -> PathBuf {
        store_dir(&self.dir).join(format!("rows-{number:06}.jsonl"))
    }

    pub fn firsts_path(&self) -> PathBuf {
        store_dir(&self.dir).join("firsts.log")
    }
}

/// A file of some store in this folder that has pages, if there is one. A store that begins there deletes rows, and those
/// others that have no label.
pub fn any_output(dir: &Path) -> Result<Option<PathBuf>, StoreError> {
    for kind in Kind::ALL {
        let found = any_where(&kind.folder(dir), |name| kind.parse(name).is_some())?;
        if found.is_some() {
            return Ok(found);
        }
    }
    any_where(&store_dir(dir), |name| rows_number(name).is_some())
}

fn any_where(dir: &Path, is_ours: impl Fn(&str) -> bool) -> Result<Option<PathBuf>, StoreError> {
    let found = names_in(dir)?.into_iter().find(|name| is_ours(name));
    Ok(found.map(|name| dir.join(name)))
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Warc, Kind::Pages];

    pub fn folder(self, dir: &Path) -> PathBuf {
        match self {
            Kind::Warc => dir.join("warc"),
            Kind::Pages => dir.join("pages"),
        }
    }

    pub fn name(self, label: Option<&str>, number: u32) -> String {
        let (prefix, suffix) = self.around();
        match label {
            Some(label) => format!("{prefix}{label}-{number:06}{suffix}"),
            None => format!("{prefix}{number:06}{suffix}"),
        }
    }

    /// Label and number of a name that some store gives. A label has no dash, so there is one way
    /// to read a name.
    pub fn parse(self, name: &str) -> Option<(Option<&str>, u32)> {
        let (prefix, suffix) = self.around();
        let inner = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
        match inner.split_once('-') {
            Some((label, number)) if is_label(label) => Some((Some(label), digits(number)?)),
            Some(_) => None,
            None => Some((None, digits(inner)?)),
        }
    }

    fn around(self) -> (&'static str, &'static str) {
        match self {
            Kind::Warc => ("weir-", ".warc.gz"),
            Kind::Pages => ("pages-", ".parquet"),
        }
    }
}

pub(crate) fn store_dir(dir: &Path) -> PathBuf {
    dir.join("store")
}

pub(crate) fn rows_number(name: &str) -> Option<u32> {
    digits(name.strip_prefix("rows-")?.strip_suffix(".jsonl")?)
}

/// What is being written under a name has this one until it is whole.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

pub(crate) const UNFINISHED: &str = ".tmp";

fn digits(text: &str) -> Option<u32> {
    let plain = text.len() >= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_have_numbers() {
        assert_eq!(Kind::Warc.parse("weir-000012.warc.gz"), Some((None, 12)));
        assert_eq!(Kind::Warc.parse("weir-1000000.warc.gz"), Some((None, 1_000_000)));
        assert_eq!(rows_number("rows-000003.jsonl"), Some(3));
        for name in [
            "weir-12.warc.gz",
            "weir-abcdef.warc.gz",
            "weir-+00012.warc.gz",
            "mine.warc.gz",
            "weir-000001.cdx",
            "weir--000001.warc.gz",
            "weir-a-b-000001.warc.gz",
            "weir-a.b-000001.warc.gz",
            "weir-a-12.warc.gz",
            "weir-a-000001.warc.gz.tmp",
        ] {
            assert_eq!(Kind::Warc.parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_says_the_label_and_the_number_it_was_made_of() {
        for kind in Kind::ALL {
            for label in [None, Some("d1"), Some("000001"), Some("_"), Some("Abc_9")] {
                for number in [1, 999_999, 1_000_000, u32::MAX] {
                    assert_eq!(kind.parse(&kind.name(label, number)), Some((label, number)));
                }
            }
        }
        assert_eq!(Kind::Warc.name(Some("d1"), 1), "weir-d1-000001.warc.gz");
        assert_eq!(Kind::Pages.name(Some("d1"), 1), "pages-d1-000001.parquet");
    }

    #[test]
    fn a_store_knows_only_names_with_its_own_label() {
        let names =
            |label: Option<&str>| Names { dir: PathBuf::new(), label: label.map(str::to_owned) };
        let one = Kind::Pages.name(Some("one"), 7);
        assert_eq!(names(Some("one")).number(Kind::Pages, &one), Some(7));
        assert_eq!(names(Some("on")).number(Kind::Pages, &one), None);
        assert_eq!(names(None).number(Kind::Pages, &one), None);
        assert_eq!(names(Some("one")).number(Kind::Pages, "pages-000007.parquet"), None);
    }
}
