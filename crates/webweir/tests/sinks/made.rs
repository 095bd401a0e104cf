//! Pages that no ordinary web has, put into the folder of a crawl by the store itself.

use std::path::Path;
use std::time::{Duration, SystemTime};

use weir_spool::{Spool, committed};
use weir_store::{Packed, Packer, PageFacts, Store, StoreConfig};
use weir_types::{Page, Protocol};

/// A page to be stored: its URL, when it was fetched, and its title.
pub struct Made {
    pub url: String,
    pub second: u64,
    pub title: String,
    pub status: u16,
}

pub fn made(url: &str, second: u64, title: &str) -> Made {
    Made { url: url.to_owned(), second, title: title.to_owned(), status: 200 }
}

/// The server said that the page is as it was.
pub fn unchanged(url: &str, second: u64) -> Made {
    Made { status: 304, ..made(url, second, "nothing new") }
}

/// The table of a finished crawl that has these pages, and nothing else of it.
pub fn store(dir: &Path, pages: &[Made]) {
    let config = StoreConfig { warc: false, rows_per_file: 3, ..StoreConfig::new(dir) };
    append(&config, pages, None).finish().unwrap();
}

/// The folder of a downloader that has committed these pages, and was killed when it had stored some more
/// and not yet said so in its journal.
pub fn downloaded(dir: &Path, label: &str, pages: &[Made], later: &[Made]) {
    let label = Some(label.to_owned());
    let config = StoreConfig { label, rows_per_file: 3, ..StoreConfig::new(dir) };
    let (mut spool, _) = Spool::open(config.clone()).unwrap();
    spool_all(&mut spool, &config, pages);
    spool.settled(spool.last(), &[]).unwrap();
    spool.finish().unwrap();
    spool_all(&mut spool, &config, later);
    drop(spool);
    let mark = committed(dir).unwrap();
    append(&config, later, mark.as_deref()).flush().unwrap();
}

/// Puts them where they wait, safely, until they are settled.
fn spool_all(spool: &mut Spool, config: &StoreConfig, pages: &[Made]) {
    let mut packer = Packer::new(config);
    for page in pages {
        spool.put(b"kept", Some(&packed(&mut packer, page))).unwrap();
    }
    spool.flush().unwrap();
    spool.syncer().run().unwrap();
}

fn append(config: &StoreConfig, pages: &[Made], mark: Option<&[u8]>) -> Store {
    let mut packer = Packer::new(config);
    let mut store = Store::open(config.clone(), mark).unwrap();
    for page in pages {
        store.append(packed(&mut packer, page)).unwrap();
    }
    store
}

fn packed(packer: &mut Packer, page: &Made) -> Packed {
    let facts = PageFacts {
        site: "a".to_owned(),
        final_url: page.url.clone(),
        title: Some(page.title.clone()),
        videos: vec!["http://v/\0".to_owned()],
        fields: vec![("price".to_owned(), "7 \"EUR\"\n".to_owned())],
        ..PageFacts::default()
    };
    packer.pack(exchange(page), facts)
}

fn exchange(page: &Made) -> Page {
    Page {
        url: page.url.clone(),
        status: page.status,
        protocol: Protocol::Http11,
        request_head: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        response_head: b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
        headers: http::HeaderMap::new(),
        body: bytes::Bytes::from(page.title.clone()),
        cut: None,
        address: "127.0.0.1:80".parse().unwrap(),
        fetched_at: SystemTime::UNIX_EPOCH + Duration::from_secs(page.second),
        elapsed: Duration::ZERO,
        held: Duration::ZERO,
        first_byte: Duration::ZERO,
        bytes_wire: 100,
    }
}
