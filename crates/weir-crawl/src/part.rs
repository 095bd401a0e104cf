//! A crawl in parts. Hosts are divided among *buckets* by their names; a run crawls those of one
//! bucket, hands out links that lead to others, and is handed what others have found for it. It may
//! be one of many runs that go on with the same frontier, one after the other.

use std::collections::HashMap;
use std::time::Duration;

use twox_hash::XxHash3_64;
use weir_frontier::{Leased, UrlKind};
use weir_types::{Fingerprint, Links};

use crate::freshness::Came;
use crate::scope::origin;
use crate::servers::Servers;

pub type Tap = Box<dyn FnMut(&Leased, &Links)>;

/// What one run of a part has to know.
pub struct Part {
    /// In the names of its files; see `label` of `weir_store::StoreConfig`.
    pub label: String,
    pub bucket: u32,
    /// How many there are; fixed for the whole crawl.
    pub buckets: u32,
    /// It goes only so deep; what is deeper waits for a later run.
    pub depth: Option<u32>,
    /// It keeps no more pages than this, if it says so.
    pub pages: Option<u64>,
    pub bytes: Option<u64>,
    /// What failed in earlier runs is tried again.
    pub tries_failed: bool,
    pub arrived: Vec<Traveller>,
    /// Other parts are crawled at the same time, and ask no server that is leased to this one.
    pub servers: Option<Servers>,
    /// Sees what is read off each page.
    pub tap: Tap,
}

/// A URL on its way from the bucket that found it to the one that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traveller {
    /// Canonical.
    pub url: String,
    /// The page that it was found on; none for a seed.
    pub parent: Option<String>,
    pub depth: u32,
    pub redirects: u32,
    pub kind: UrlKind,
    pub lastmod_s: Option<u32>,
    pub promise: u8,
}

/// What a run leaves behind, besides its files.
#[derive(Debug, Default)]
pub struct Parting {
    pub leaving: Vec<Traveller>,
    /// URLs that wait...
    pub waiting: u64,
    /// ...and, if that is for long, when the first of them may be asked for, in milliseconds since 1970.
    pub next_due_ms: Option<u64>,
    /// URLs with this number or a higher one were found in this run.
    pub found_from: u64,
    pub came: CameBack,
}

/// Pages that a run has visited, beside the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CameBack {
    pub new: u64,
    pub unchanged: u64,
    pub changed: u64,
}

/// With nothing else to do, a run waits so long for a host; then it is left to the next one.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The bucket that a URL belongs to: that of its host's name, whatever the port and the scheme.
pub fn bucket_of(url: &str, buckets: u32) -> u32 {
    (XxHash3_64::oneshot(host_of(url).as_bytes()) % u64::from(buckets.max(1))) as u32
}

fn host_of(url: &str) -> &str {
    let origin = origin(url);
    let host = origin.find("://").map_or(origin, |at| &origin[at + 3..]);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or(address),
        None => host.split(':').next().unwrap_or(host),
    }
}

/// The part as dispatch sees it while it runs.
pub struct Parted {
    bucket: u32,
    buckets: u32,
    tap: Tap,
    leaving: HashMap<Fingerprint, Traveller>,
    pub found_from: u64,
    pub came: CameBack,
}

impl Parted {
    pub fn new(part: Part) -> Parted {
        let Part { bucket, buckets, tap, .. } = part;
        let (leaving, came) = (HashMap::new(), CameBack::default());
        Parted { bucket, buckets, tap, leaving, found_from: 0, came }
    }

    pub fn came(&mut self, came: Came) {
        let count = match came {
            Came::New => &mut self.came.new,
            Came::Same => &mut self.came.unchanged,
            Came::Changed => &mut self.came.changed,
        };
        *count += 1;
    }

    pub fn owns(&self, url: &str) -> bool {
        bucket_of(url, self.buckets) == self.bucket
    }

    pub fn tap(&mut self, from: &Leased, links: &Links) {
        (self.tap)(from, links);
    }

    /// Whether this way to a URL of another bucket is worth telling.
    pub fn is_news(&self, fingerprint: Fingerprint, depth: u32) -> bool {
        self.leaving.get(&fingerprint).is_none_or(|known| depth < known.depth)
    }

    pub fn leave(&mut self, fingerprint: Fingerprint, traveller: Traveller) {
        self.leaving.insert(fingerprint, traveller);
    }

    pub fn into_leaving(self) -> Vec<Traveller> {
        self.leaving.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_a_host_is_in_one_bucket() {
        let all = ["http://a.example/", "https://a.example/x?y", "http://a.example:8080/z"];
        let bucket = bucket_of(all[0], 64);
        assert!(bucket < 64);
        assert!(all.iter().all(|url| bucket_of(url, 64) == bucket));
        assert_eq!(host_of("http://[::1]:80/"), "::1");
        assert_eq!(host_of("http://me@a.example:1/"), "a.example");
        assert_eq!(bucket_of("http://a.example/", 0), 0);
    }

    #[test]
    fn hosts_are_spread_over_all_buckets() {
        let mut counts = [0; 8];
        for number in 0..800 {
            counts[bucket_of(&format!("http://h{number}.example/"), 8) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (60..140).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_bucket_stays_the_same_for_ever() {
        // It stands in files: another hash would send what was found to the wrong one.
        assert_eq!(bucket_of("http://example.com/", 1 << 16), 47_987);
    }
}
