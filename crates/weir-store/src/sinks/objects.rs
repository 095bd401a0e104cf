//! WARC and Parquet files go to an object store as soon as they are whole. An object is there whole
//! or not at all, so the store itself says what it has: names and lengths.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientConfigKey, Error, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutPayload, RetryConfig,
};
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;
use url::Url;

use super::follower::{Follower, Shared};
use super::{Extent, Feeder, SinkError, TargetError, without_password};
use crate::Position;
use crate::names::{Kind, Names};

/// Parts of this size are sent, which S3 takes for files of up to 80 GB.
const PART: usize = 8 << 20;
const READ: usize = 1 << 20;
/// A part may take its time on a slow line.
const PART_TIME: &str = "10m";
const CONNECT: &str = "10s";
const RETRY: Duration = Duration::from_secs(30);
/// The name of the crawl whose files these are. Those of another are neither taken for ours nor
/// replaced: they may be all that is left of it.
const CRAWL: &str = "crawl.txt";
/// Files of several stores of a crawl are told apart by a label, a few letters of what each is called.
/// Here stands all of it, for each label: two of them must not be the same by chance.
const LABELS: &str = "labels";
const OTHERS: &str = "it has the files of another crawl (as its crawl.txt says); name another folder, or \
                      empty this one";
const TWINS: &str = "it has the files of another downloader whose label is the same; start this one with \
                     another --out";

pub(super) fn check(url: &str) -> Result<(), TargetError> {
    connect(url).map(drop).map_err(|why| TargetError::Objects(without_password(&why.to_string())))
}

/// Sends what is whole and not there yet, until the crawl has ended.
pub(super) fn upload(url: &str, follower: &Follower, shared: &Shared) -> Result<(), SinkError> {
    let names = Names::kept_in(&follower.dir)?;
    let mut place = Place::open(url, &follower.feeder, names.label.as_deref())?;
    let mut sent = place.there.keys().filter(|name| is_ours(&names, name)).count() as u64;
    shared.tell(|told| told.moved(sent));
    let mut done = Extent { rows: Position::START, warc: 0, parquet: 0 };
    let mut reached = None;
    while let Some(until) = shared.wait_beyond(reached) {
        for (file, name) in files(&names, done, until) {
            if shared.look(|told| told.ended) {
                return Ok(());
            }
            if place.send(&file, &name, &|| shared.tell(|told| told.alive()))? {
                sent += 1;
                shared.tell(|told| told.moved(sent));
            }
        }
        (done, reached) = (until, Some(until));
        shared.tell(|told| told.reached = reached);
    }
    Ok(())
}

/// Other stores of the same crawl may send to the same place, each under its label.
fn is_ours(names: &Names, path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    Kind::ALL.iter().any(|kind| names.number(*kind, name).is_some())
}

/// Files that became whole since `done`, and what they are called there.
fn files(names: &Names, done: Extent, until: Extent) -> Vec<(PathBuf, String)> {
    let warcs = (done.warc + 1..=until.warc).map(|number| {
        let name = names.name(Kind::Warc, number);
        (names.path(Kind::Warc, number), format!("warc/{name}"))
    });
    let pages = (done.parquet + 1..=until.parquet).map(|number| {
        let name = names.name(Kind::Pages, number);
        (names.path(Kind::Pages, number), format!("pages/{name}"))
    });
    warcs.chain(pages).collect()
}

struct Place {
    name: String,
    runtime: Runtime,
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Lengths of the files of this crawl that are there.
    there: HashMap<String, u64>,
}

impl Place {
    fn open(url: &str, feeder: &Feeder, label: Option<&str>) -> Result<Place, SinkError> {
        let name = without_password(url);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(SinkError::io(&name, "start a runtime for"))?;
        let (store, prefix) = connect(url).map_err(|why| failed(&name, &why))?;
        let mut place = Place { name, runtime, store, prefix, there: HashMap::new() };
        place.claim(CRAWL, &feeder.crawl, OTHERS)?;
        if let (Some(label), Some(part)) = (label, &feeder.part) {
            place.claim(&format!("{LABELS}/{label}.txt"), part, TWINS)?;
        }
        let there = place.runtime.block_on(place.list());
        place.there = there.map_err(|why| failed(&place.name, &why))?;
        Ok(place)
    }

    /// Says whose this is, and refuses what somebody else has said to be theirs.
    fn claim(&self, name: &str, whose: &str, others: &str) -> Result<(), SinkError> {
        let claimed = self.runtime.block_on(self.is_claimed(name, whose));
        match claimed.map_err(|why| failed(&self.name, &why))? {
            true => Ok(()),
            false => Err(SinkError::refused(&self.name, others)),
        }
    }

    async fn is_claimed(&self, name: &str, whose: &str) -> Result<bool, Error> {
        let path = self.path(name);
        match self.store.get(&path).await {
            Ok(found) => Ok(found.bytes().await? == whose.as_bytes()),
            Err(Error::NotFound { .. }) => {
                let text = Bytes::copy_from_slice(whose.as_bytes());
                self.store.put(&path, PutPayload::from(text)).await.map(|_| true)
            }
            Err(why) => Err(why),
        }
    }

    /// Names and lengths of what is there.
    async fn list(&self) -> Result<HashMap<String, u64>, Error> {
        let all: Vec<_> = self.store.list(Some(&self.prefix)).try_collect().await?;
        let before = self.prefix.as_ref().len() + usize::from(!self.prefix.as_ref().is_empty());
        let named = all.into_iter().filter_map(|it| {
            let name = it.location.as_ref().get(before..)?.to_owned();
            Some((name, it.size))
        });
        Ok(named.collect())
    }

    /// False if it is there already, or not here: some crawls keep only one kind.
    /// `alive` is called as parts go out: a large file takes its time.
    fn send(&mut self, file: &FilePath, name: &str, alive: &dyn Fn()) -> Result<bool, SinkError> {
        let opened = match File::open(file) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(SinkError::io(&self.name, "read a file for")(error)),
        };
        let length = opened.metadata().map_err(SinkError::io(&self.name, "read a file for"))?.len();
        if self.there.get(name) == Some(&length) {
            return Ok(false);
        }
        let copied = self.runtime.block_on(self.copy(opened, name, alive));
        copied.map_err(|why| SinkError::away(&self.name, why.to_string()))?;
        self.there.insert(name.to_owned(), length);
        Ok(true)
    }

    async fn copy(&self, mut file: File, name: &str, alive: &dyn Fn()) -> io::Result<()> {
        let mut writer = BufWriter::with_capacity(self.store.clone(), self.path(name), PART);
        let mut part = vec![0; READ];
        loop {
            match file.read(&mut part)? {
                0 => return writer.shutdown().await,
                read => {
                    writer.write_all(&part[..read]).await?;
                    alive();
                }
            }
        }
    }

    fn path(&self, name: &str) -> Path {
        Path::from(format!("{}/{name}", self.prefix))
    }
}

/// Keys, region and endpoint come from the environment, under the names that everyone uses for them.
fn connect(url: &str) -> Result<(Arc<dyn ObjectStore>, Path), Error> {
    let parsed = Url::parse(url).map_err(|why| unknown(why.into()))?;
    let (scheme, prefix) =
        ObjectStoreScheme::parse(&parsed).map_err(|why| unknown(why.to_string().into()))?;
    Ok(match scheme {
        ObjectStoreScheme::AmazonS3 => (Arc::new(s3(url)?), prefix),
        ObjectStoreScheme::Local => (Arc::new(LocalFileSystem::new()), prefix),
        _ => return Err(unknown("only s3:// and file:// are known".into())),
    })
}

fn s3(url: &str) -> Result<AmazonS3, Error> {
    // The library takes whichever way of encrypting the process has chosen; if one has been chosen
    // before, it is this one too.
    drop(rustls::crypto::ring::default_provider().install_default());
    let limit = |key| AmazonS3ConfigKey::Client(key);
    // It would try for minutes before it said a word; whoever follows the crawl tries again anyway.
    let retry = RetryConfig { max_retries: 2, retry_timeout: RETRY, ..RetryConfig::default() };
    AmazonS3Builder::from_env()
        .with_url(url)
        .with_config(limit(ClientConfigKey::Timeout), PART_TIME)
        .with_config(limit(ClientConfigKey::ConnectTimeout), CONNECT)
        .with_retry(retry)
        .build()
}

fn unknown(source: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::Generic { store: "object store", source }
}

fn failed(name: &str, why: &Error) -> SinkError {
    match why {
        Error::NotFound { .. } => {
            SinkError::refused(name, format!("{why}; make the bucket, or name another"))
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            SinkError::refused(name, format!("{why}; check the keys in the environment"))
        }
        Error::NotSupported { .. } | Error::InvalidPath { .. } => {
            SinkError::refused(name, why.to_string())
        }
        _ => SinkError::away(name, why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_by_the_label_of_their_store() {
        let names = Names { dir: "d".into(), label: Some("a".to_owned()) };
        let extent = |warc, parquet| Extent { rows: Position::START, warc, parquet };
        let sent: Vec<String> =
            files(&names, extent(1, 0), extent(2, 1)).into_iter().map(|it| it.1).collect();
        assert_eq!(sent, ["warc/weir-a-000002.warc.gz", "pages/pages-a-000001.parquet"]);
        assert!(sent.iter().all(|name| is_ours(&names, name)));
        assert!(!is_ours(&names, "warc/weir-b-000001.warc.gz"));
    }

    #[test]
    fn each_whole_file_is_sent_once_and_again_only_if_it_has_grown() {
        let dir = tempfile::tempdir().unwrap();
        let there = tempfile::tempdir().unwrap();
        let url = format!("file://{}/a", there.path().display());
        let file = dir.path().join("x");
        std::fs::write(&file, "one").unwrap();
        let mut place = Place::open(&url, &Feeder::whole("c"), None).unwrap();
        assert!(place.send(&file, "warc/x", &|| {}).unwrap());
        assert!(!place.send(&file, "warc/x", &|| {}).unwrap());
        let mut place = Place::open(&url, &Feeder::whole("c"), None).unwrap();
        assert!(!place.send(&file, "warc/x", &|| {}).unwrap(), "after a crash");
        std::fs::write(&file, "one and two").unwrap();
        assert!(place.send(&file, "warc/x", &|| {}).unwrap());
        let sent = std::fs::read_to_string(there.path().join("a/warc/x")).unwrap();
        assert_eq!(sent, "one and two");
        assert!(!place.send(&dir.path().join("none"), "warc/none", &|| {}).unwrap());
        let another = Place::open(&url, &Feeder::whole("d"), None).map(drop);
        assert!(matches!(another, Err(SinkError::Refused { .. })), "{another:?}");
    }

    #[test]
    fn stores_of_one_crawl_share_a_folder_unless_their_files_would_have_the_same_names() {
        let there = tempfile::tempdir().unwrap();
        let url = format!("file://{}/a", there.path().display());
        let open = |part: &str, label| {
            let feeder = Feeder { crawl: "c".to_owned(), part: Some(part.to_owned()) };
            Place::open(&url, &feeder, Some(label)).map(drop).map_err(|why| why.to_string())
        };
        open("one", "a").unwrap();
        open("two", "b").unwrap();
        open("one", "a").unwrap();
        let why = open("three", "a").unwrap_err();
        assert!(why.contains("another --out"), "{why}");
    }
}
