//! Who a downloader is, from start to start: a small file in its folder.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use weir_crawl::{HandedOn, replace_for_good};
use weir_store::Feeder;

use crate::ClusterError;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub id: [u8; 16],
    /// Counts its starts.
    pub start: u64,
    /// The crawl that the folder has pages of.
    pub crawl: Option<[u8; 16]>,
    /// What the scheduler last said of it.
    pub settings: String,
    pub roots: Option<Vec<u8>>,
}

const FILE: &str = "downloader.json";
const LOCK: &str = "downloader.lock";

impl Identity {
    /// The one of this folder, once more started; a new one if there is none.
    /// The folder is ours for as long as the file is.
    pub fn open(folder: &Path) -> Result<(Identity, File), ClusterError> {
        let path = folder.join(FILE);
        let cannot = |what| move |why| ClusterError::Io { what, path: path.clone(), why };
        std::fs::create_dir_all(folder).map_err(cannot.clone()("make the folder of"))?;
        let lock = lock(folder)?;
        let mut identity: Identity = match std::fs::read(folder.join(FILE)) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|why| cannot.clone()("read")(std::io::Error::other(why)))?,
            Err(why) if why.kind() == ErrorKind::NotFound => {
                let random = |why: getrandom::Error| std::io::Error::other(why.to_string());
                Identity::random().map_err(random).map_err(cannot.clone()("make up a name for"))?
            }
            Err(why) => return Err(cannot("read")(why)),
        };
        identity.start += 1;
        identity.write(folder)?;
        Ok((identity, lock))
    }

    fn random() -> Result<Identity, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Identity { id, start: 0, crawl: None, settings: String::new(), roots: None })
    }

    pub fn handed(&self) -> HandedOn {
        HandedOn { settings: self.settings.clone(), roots: self.roots.clone() }
    }

    /// What sinks know it by, in the crawl that its folder is of.
    pub fn feeder(&self) -> Option<Feeder> {
        let crawl = hex(&self.crawl?);
        Some(Feeder { crawl, part: Some(hex(&self.id)) })
    }

    /// A few letters of it, for names of files.
    pub fn label(&self) -> String {
        hex(&self.id[..4])
    }

    /// A kill leaves the old one or the new one, and so does a loss of power.
    pub fn write(&self, folder: &Path) -> Result<(), ClusterError> {
        let path = folder.join(FILE);
        let text = serde_json::to_vec_pretty(self).expect("numbers and texts always serialize");
        replace_for_good(&path, &text).map_err(|why| ClusterError::Io { what: "write", path, why })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lock(folder: &Path) -> Result<File, ClusterError> {
    let path = folder.join(LOCK);
    let cannot = |why| ClusterError::Io { what: "open", path: path.clone(), why };
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ClusterError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(why)) => Err(cannot(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_name_and_counts_its_starts() {
        let folder = tempfile::tempdir().unwrap();
        let (first, lock) = Identity::open(folder.path()).unwrap();
        assert!(matches!(Identity::open(folder.path()), Err(ClusterError::InUse { .. })));
        drop(lock);
        let (second, _lock) = Identity::open(folder.path()).unwrap();
        assert_eq!((first.id, first.start + 1), (second.id, second.start));
        let (other, _lock) = Identity::open(&folder.path().join("other")).unwrap();
        assert_ne!(first.id, other.id);
    }

    #[test]
    fn sinks_know_it_by_the_same_name_from_start_to_start() {
        let folder = tempfile::tempdir().unwrap();
        let (mut first, lock) = Identity::open(folder.path()).unwrap();
        assert_eq!(first.feeder(), None, "there is no crawl yet");
        first.crawl = Some([7; 16]);
        first.write(folder.path()).unwrap();
        drop(lock);
        let (second, _lock) = Identity::open(folder.path()).unwrap();
        let feeder = second.feeder().unwrap();
        assert_eq!(Some(&feeder), first.feeder().as_ref());
        assert_eq!(feeder.crawl, "07".repeat(16));
        assert!(feeder.part.unwrap().starts_with(&second.label()));
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        let why = Identity::open(folder.path()).unwrap_err().to_string();
        assert!(why.contains(FILE), "{why}");
    }
}
