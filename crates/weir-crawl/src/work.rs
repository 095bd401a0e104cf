//! One leased URL: fetch it, read its links, pack it for the store, and say what came of it.

use std::cell::RefCell;
use std::sync::Arc;

use url::Url;
use weir_fetch::{Fetcher, SetupError, coding, redirect_target};
use weir_frontier::{HostId, Leased};
use weir_parse::{Ask, Facts, Parser, canonical, is_html};
use weir_store::{Packed, Packer, PageFacts, StoreConfig};
use weir_types::{Fingerprint, LinkKind, Links, Outcome, Page};

use crate::policy;
use crate::recent::Recent;

/// What dispatch asks for.
pub enum Job {
    Page(Box<PageJob>),
    Robots { host: HostId, url: Url },
}

pub struct PageJob {
    pub leased: Leased,
    pub url: Url,
    pub site: Arc<str>,
}

/// What came of it.
pub enum Worked {
    Page(Box<PageWorked>),
    Robots { host: HostId, answer: Result<(u16, Vec<u8>), Outcome>, bytes_wire: u64 },
}

pub struct PageWorked {
    pub leased: Leased,
    pub outcome: Outcome,
    /// Present exactly when the outcome is `Kept`.
    pub packed: Option<Packed>,
    /// Bytes received, whatever the outcome.
    pub bytes_wire: u64,
}

/// One a thread: connections, buffers and what they remember.
pub struct Worker {
    fetcher: Fetcher,
    tools: RefCell<Tools>,
    assets: bool,
    decoded_most: usize,
}

/// Used between two awaits, never across one.
struct Tools {
    parser: Parser,
    packer: Packer,
    recent: Recent,
}

/// RFC 9309 asks for five hops at least.
const ROBOTS_REDIRECTS: usize = 5;
/// Longer files are cut; RFC 9309 asks for 500 KiB at least.
const ROBOTS_BYTES: usize = 1 << 20;
/// Decoded bytes read of a page, as a multiple of the bytes that may come.
const DECODED_RATIO: usize = 4;

impl Worker {
    pub fn new(config: &crate::Config, store: &StoreConfig) -> Result<Worker, SetupError> {
        let tools =
            Tools { parser: Parser::new(), packer: Packer::new(store), recent: Recent::new() };
        Ok(Worker {
            fetcher: Fetcher::new(config.fetch.clone())?,
            tools: RefCell::new(tools),
            assets: config.assets,
            decoded_most: config.fetch.limits.body_bytes.saturating_mul(DECODED_RATIO),
        })
    }

    pub async fn work(&self, job: Job) -> Worked {
        match job {
            Job::Page(job) => Worked::Page(Box::new(self.page(*job).await)),
            Job::Robots { host, url } => self.robots(host, url).await,
        }
    }

    async fn page(&self, job: PageJob) -> PageWorked {
        let attempts = job.leased.attempts;
        let page = match self.fetcher.fetch(&job.url).await {
            Ok(page) => page,
            Err(why) => {
                let outcome = policy::after_failure(&why, attempts);
                return PageWorked { leased: job.leased, outcome, packed: None, bytes_wire: 0 };
            }
        };
        let bytes_wire = page.bytes_wire;
        if let Some(outcome) = policy::after_response(&page, attempts) {
            return PageWorked { leased: job.leased, outcome, packed: None, bytes_wire };
        }
        let (outcome, packed) = self.tools.borrow_mut().keep(self, &job, page);
        PageWorked { leased: job.leased, outcome, packed: Some(packed), bytes_wire }
    }

    async fn robots(&self, host: HostId, mut url: Url) -> Worked {
        let mut bytes_wire = 0;
        for _ in 0..=ROBOTS_REDIRECTS {
            let page = match self.fetcher.fetch(&url).await {
                Ok(page) => page,
                Err(why) => {
                    let answer = Err(policy::after_failure(&why, 0));
                    return Worked::Robots { host, answer, bytes_wire };
                }
            };
            bytes_wire += page.bytes_wire;
            match redirect_target(&page) {
                Some(Ok(target)) => url = target,
                _ => {
                    let decoded =
                        coding::decode(&page.body, page.header("content-encoding"), ROBOTS_BYTES);
                    let answer = Ok((page.status, decoded.bytes.into_owned()));
                    return Worked::Robots { host, answer, bytes_wire };
                }
            }
        }
        // Too many hops count as "not available": everything may be crawled (RFC 9309, 2.3.1.2).
        Worked::Robots { host, answer: Ok((404, Vec::new())), bytes_wire }
    }
}

impl Tools {
    fn keep(&mut self, worker: &Worker, job: &PageJob, page: Page) -> (Outcome, Packed) {
        let mut links = Links::default();
        let mut final_url = page.url.clone();
        if let Some(Ok(target)) = redirect_target(&page) {
            final_url = canonical(&target);
            links.push(&final_url, Fingerprint::of(&final_url), LinkKind::Redirect);
        }
        let content_type = page.header("content-type").map(str::to_owned);
        let decoded =
            coding::decode(&page.body, page.header("content-encoding"), worker.decoded_most);
        let read = (200..300).contains(&page.status)
            && is_html(content_type.as_deref(), &decoded.bytes);
        let facts = match read {
            true => self.read_links(worker, job, &decoded.bytes, content_type.as_deref(), &mut links),
            false => Facts::default(),
        };
        let bytes_body = decoded.bytes.len() as u64;
        drop(decoded);
        let outcome =
            Outcome::Kept { status: page.status, bytes_wire: page.bytes_wire, bytes_body, links };
        let facts = PageFacts {
            site: job.site.to_string(),
            depth: job.leased.depth,
            parent: job.leased.parent.clone(),
            final_url,
            content_type,
            charset: read.then(|| facts.charset.to_owned()),
            bytes_body,
            lang: facts.lang,
            title: facts.title,
            ..PageFacts::default()
        };
        (outcome, self.packer.pack(page, facts))
    }

    fn read_links(
        &mut self,
        worker: &Worker,
        job: &PageJob,
        body: &[u8],
        content_type: Option<&str>,
        links: &mut Links,
    ) -> Facts {
        let ask = Ask { body, url: &job.url, content_type, assets: worker.assets };
        let recent = &mut self.recent;
        self.parser.parse(ask, |link| {
            if recent.is_new(link.fingerprint) {
                links.push(link.url, link.fingerprint, link.kind);
            }
        })
    }
}
