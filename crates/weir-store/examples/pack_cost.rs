//! What storing a page costs: `cargo run --release -p weir-store --example pack_cost -- FOLDER`
//! packs and stores the HTML files under FOLDER, over and over, and prints CPU time per 1,000
//! pages. `FOLDER` may be any unpacked documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::time::{ClockId, clock_gettime};
use weir_store::{Packer, PageFacts, Store, StoreConfig};
use weir_types::{Page, Protocol};

const PAGES: usize = 20_000;
const PAGES_A_FLUSH: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder with HTML files")?;
    let bodies = bodies(Path::new(&folder))?;
    let mean = bodies.iter().map(Vec::len).sum::<usize>() / bodies.len().max(1);
    println!("{} files, {mean} bytes on average, {PAGES} pages stored", bodies.len());
    for (name, warc, parquet) in [
        ("both", true, true),
        ("warc", true, false),
        ("parquet", false, true),
        ("none", false, false),
    ] {
        let dir = tempfile::tempdir()?;
        measure(name, StoreConfig { warc, parquet, ..StoreConfig::new(dir.path()) }, &bodies)?;
    }
    Ok(())
}

fn measure(
    name: &str,
    config: StoreConfig,
    bodies: &[Vec<u8>],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config, None)?;
    let (mut packing, mut storing) = (Duration::ZERO, Duration::ZERO);
    for number in 0..PAGES {
        let page = page(number, &bodies[number % bodies.len()]);
        let facts = facts(&page);
        let start = cpu(ClockId::ThreadCPUTime);
        let packed = packer.pack(page, facts);
        let packed_at = cpu(ClockId::ThreadCPUTime);
        store.append(packed)?;
        if number % PAGES_A_FLUSH == 0 {
            store.flush()?;
        }
        packing += packed_at - start;
        storing += cpu(ClockId::ThreadCPUTime) - packed_at;
    }
    let start = cpu(ClockId::ProcessCPUTime);
    store.finish()?;
    let finishing = cpu(ClockId::ProcessCPUTime) - start;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / PAGES as f64;
    println!(
        "{name:8} ms per 1,000 pages: pack {:.1}, append and flush {:.1}, finish (Parquet) {:.1}; {:?}",
        each(packing),
        each(storing),
        each(finishing),
        store.totals()
    );
    Ok(())
}

fn cpu(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The number in the body keeps a page from being a duplicate.
fn page(number: usize, body: &[u8]) -> Page {
    let mut body = body.to_vec();
    body.extend_from_slice(format!("<!-- {number} -->").as_bytes());
    let head = format!(
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
         Content-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nETag: \"{number:x}\"\r\n\
         Last-Modified: Wed, 31 Dec 2025 10:00:00 GMT\r\nAccept-Ranges: bytes\r\n\r\n",
        body.len()
    );
    let mut headers = http::HeaderMap::new();
    headers.insert("content-type", http::HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert("etag", http::HeaderValue::from_static("\"5f3-62\""));
    Page {
        url: format!("https://docs.example.com/some/folder/page-{number}.html"),
        status: 200,
        protocol: Protocol::Http11,
        request_head: b"GET /some/folder/page.html HTTP/1.1\r\nHost: docs.example.com\r\n\
            User-Agent: weir/0.1 (+https://example.com/bot)\r\nAccept: text/html\r\n\
            Accept-Encoding: gzip, br\r\n\r\n"
            .to_vec(),
        response_head: head.into_bytes(),
        headers,
        bytes_wire: body.len() as u64 + 300,
        body: body.into(),
        cut: None,
        address: ([93, 184, 216, 34], 443).into(),
        fetched_at: SystemTime::now(),
        elapsed: Duration::from_millis(123),
        held: Duration::ZERO,
        first_byte: Duration::from_millis(45),
    }
}

fn facts(page: &Page) -> PageFacts {
    PageFacts {
        site: "example.com".to_owned(),
        depth: 3,
        parent: Some("https://docs.example.com/some/folder/".to_owned()),
        final_url: page.url.clone(),
        charset: Some("utf-8".to_owned()),
        bytes_body: page.body.len() as u64,
        title: Some(format!("A page of documentation, {}", page.url.len())),
        lang: Some("en".to_owned()),
        ..PageFacts::default()
    }
}

/// Files of ordinary size for a web page.
fn bodies(folder: &Path) -> std::io::Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "html") {
                found.push(fs::read(path)?);
            }
        }
    }
    found.retain(|body| (12_000..60_000).contains(&body.len()));
    Ok(found)
}
