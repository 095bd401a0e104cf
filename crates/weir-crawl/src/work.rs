//! One leased URL: fetch it, have it read and packed for the store (`keeper.rs`), and say what came of it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use url::Url;
use weir_fetch::{Claim, Fetcher, SetupError, coding, redirect_target};
use weir_frontier::{HostId, Leased, UrlKind};
<<<<<<< HEAD
use weir_store::{Packed, StoreConfig};
use weir_types::{Cut, Outcome, Sketch};

use crate::keeper::{Came, Keeper};
=======
use weir_parse::{Ask, Facts, Parser, Rules, is_html, sketch};
use weir_plan::refresh::Belief;
use weir_store::{Packed, Packer, PageFacts, StoreConfig, Unchanged};
use weir_types::{Cut, Fingerprint, LinkKind, Links, Outcome, Page, Sketch};
use xxhash_rust::xxh3::xxh3_128;

use crate::directives::Directives;
use crate::freshness::{Brought, Came, millis};
use crate::recent::Recent;
use crate::scope::origin;
>>>>>>> i7-recrawl
use crate::traps::Admitted;
use crate::visit::Visit;
use crate::{policy, sitemaps};

/// What dispatch asks for.
pub enum Job {
    Page(Box<PageJob>),
    /// Where `url` is served from.
    Resolve {
        host: HostId,
        url: Url,
    },
    Robots {
        host: HostId,
        url: Url,
        addresses: Arc<[SocketAddr]>,
        claim: Option<Claim>,
        ticket: u64,
    },
}

pub struct PageJob {
    pub leased: Leased,
    pub url: Url,
    pub site: Arc<str>,
    /// Where to ask for it, the first that answers.
    pub addresses: Arc<[SocketAddr]>,
    /// What it takes of the bandwidth cap.
    pub claim: Option<Claim>,
    /// By which it is known when it ends.
    pub ticket: u64,
    pub admitted: Admitted,
    /// What the page asks of robots counts.
    pub obeys_robots: bool,
<<<<<<< HEAD
    /// What was expected of it when it was found, if the crawl has a focus.
    pub promise: u8,
=======
    pub habits: SiteHabits,
}

/// What is known of the pages of a site when one of them is visited once more.
#[derive(Clone, Copy, Debug)]
pub struct SiteHabits {
    /// How often they change.
    pub belief: Belief,
    /// Any other byte is a change, however near the text is.
    pub any_change: bool,
>>>>>>> i7-recrawl
}

impl Job {
    /// Whom it asks; a name server is not counted.
    pub fn server(&self) -> Option<IpAddr> {
        let addresses = match self {
            Job::Page(job) => &job.addresses,
            Job::Robots { addresses, .. } => addresses,
            Job::Resolve { .. } => return None,
        };
        addresses.first().map(SocketAddr::ip)
    }

    /// What everything of a host waits for comes before its pages.
    pub fn score(&self) -> f32 {
        match self {
            // Within a host the frontier has ordered them; between hosts, shallow ones go first.
            Job::Page(job) => -(job.leased.depth as f32),
            _ => f32::MAX,
        }
    }

    /// `speed` is how fast its server is known to be.
    pub fn prepare(&mut self, number: u64, speed: Option<f64>) {
        let (claim, ticket) = match self {
            Job::Page(job) => (&mut job.claim, &mut job.ticket),
            Job::Robots { claim, ticket, .. } => (claim, ticket),
            Job::Resolve { .. } => return,
        };
        *ticket = number;
        if let Some(claim) = claim {
            claim.speed = speed;
        }
    }
}

/// What came of it.
pub enum Worked {
    Page(Box<PageWorked>),
    Resolved { host: HostId, answer: Result<Vec<SocketAddr>, Outcome> },
    Robots { host: HostId, ticket: u64, answer: Result<RobotsReply, Outcome>, bytes_wire: u64 },
}

pub struct RobotsReply {
    pub status: u16,
    pub body: Vec<u8>,
    /// The rest that the server asks for.
    pub rest: Option<Duration>,
    pub took: Duration,
}

pub struct PageWorked {
    pub leased: Leased,
    pub outcome: Outcome,
    /// Present exactly when the outcome is `Kept`.
    pub packed: Option<Packed>,
    pub ticket: u64,
    /// Bytes received, whatever the outcome.
    pub bytes_wire: u64,
    /// How the server answered, if it did.
    pub answer: Option<Answer>,
    pub pattern: Option<u32>,
    /// If it was asked for and the page has text.
    pub sketch: Option<Sketch>,
    /// It is a page of text, rather than a file of some kind.
    pub is_text: bool,
    /// Its links to the host it came from, known or not.
    pub links: u32,
    /// What to note for the next time it is asked for.
    pub visit: Option<Visit>,
    /// Compared with the last time.
    pub came: Option<Came>,
}

#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub address: SocketAddr,
    /// From the request to the first byte.
    pub took: Duration,
    /// All of it came, in time.
    pub is_whole: bool,
    /// From the request to the last byte, and how much of that we held it back.
    pub elapsed: Duration,
    pub held: Duration,
}

/// One a thread: connections, buffers and what they remember.
pub struct Worker {
    fetcher: Fetcher,
<<<<<<< HEAD
    keeper: Arc<Keeper>,
=======
    tools: RefCell<Tools>,
    pub rules: Rules,
    /// For targets of redirects: a server that adds or removes a session id by a redirect must not
    /// be sent back to where it came from.
    pub as_given: Rules,
    assets: bool,
    /// The name under which pages speak to us.
    product: String,
    obeys_nofollow: bool,
    decoded_most: usize,
    /// Of every page, because they are columns of the table, or tell whether it has changed.
    sketches: bool,
    /// Pages go to a WARC or a table.
    keeps: bool,
>>>>>>> i7-recrawl
}

/// RFC 9309 asks for five hops at least.
const ROBOTS_REDIRECTS: usize = 5;
/// Longer files are cut; RFC 9309 asks for 500 KiB at least.
const ROBOTS_BYTES: usize = 512 << 10;
impl Worker {
    pub fn new(config: &crate::Config, store: &StoreConfig) -> Result<Worker, SetupError> {
<<<<<<< HEAD
        let fetcher = Fetcher::new(config.fetch.clone())?;
        Ok(Worker { fetcher, keeper: Arc::new(Keeper::new(config, store)) })
=======
        let rules = Rules::default().strip(&config.strip);
        let tools = Tools {
            parser: Parser::with_rules(rules.clone()),
            packer: Packer::new(store),
            recent: Recent::new(),
        };
        Ok(Worker {
            rules,
            as_given: Rules::plain(),
            fetcher: Fetcher::new(config.fetch.clone())?,
            tools: RefCell::new(tools),
            assets: config.assets,
            product: config.product.clone(),
            obeys_nofollow: config.nofollow,
            keeps: config.store.warc || config.store.parquet,
            sketches: config.store.parquet || config.freshness.is_some(),
            decoded_most: config.fetch.limits.body_bytes,
        })
>>>>>>> i7-recrawl
    }

    pub async fn work(&self, job: Job) -> Worked {
        match job {
            Job::Page(job) => Worked::Page(Box::new(self.page(*job).await)),
            Job::Resolve { host, url } => {
                let answer = self.fetcher.resolve(&url).await;
                let answer = answer.map_err(|why| policy::after_failure(&why, 0));
                Worked::Resolved { host, answer }
            }
            Job::Robots { host, url, addresses, claim, ticket } => {
                self.robots(host, url, &addresses, claim, ticket).await
            }
        }
    }

    async fn page(&self, job: PageJob) -> PageWorked {
        let attempts = job.leased.attempts;
        let earlier = job.leased.note.as_deref().and_then(Visit::from_bytes);
        let conditions = earlier.as_ref().map(Visit::conditions).unwrap_or_default();
        let fetched = self.fetcher.fetch_from(&job.url, &job.addresses, job.claim, &conditions);
        let page = match fetched.await {
            Ok(page) => page,
            Err(why) => return PageWorked::of(job, policy::after_failure(&why, attempts), None),
        };
        let answer = Answer {
            address: page.address,
            took: page.first_byte,
            is_whole: !matches!(page.cut, Some(Cut::Time | Cut::Disconnect)),
            elapsed: page.elapsed,
            held: page.held,
        };
        let bytes_wire = page.bytes_wire;
        let worked = match policy::after_response(&page, attempts) {
            Some(outcome) => PageWorked::of(job, outcome, Some(answer)),
            None if job.leased.kind == UrlKind::Sitemap => {
                let mut links = sitemaps::read(&page, &job.url, &self.keeper);
                self.keeper.promise(&job, &mut links);
                PageWorked::of(job, Outcome::Read { links }, Some(answer))
            }
            None => self.keeper.keep(Came { job, page, answer, earlier }).await,
        };
        PageWorked { bytes_wire, ..worked }
    }

    async fn robots(
        &self,
        host: HostId,
        mut url: Url,
        addresses: &[SocketAddr],
        claim: Option<Claim>,
        ticket: u64,
    ) -> Worked {
        let mut bytes_wire = 0;
        for hop in 0..=ROBOTS_REDIRECTS {
            let addresses = (hop == 0).then_some(addresses);
            let fetched = self.fetcher.fetch_small(&url, addresses, claim, ROBOTS_BYTES).await;
            let page = match fetched {
                Ok(page) => page,
                Err(why) => {
                    let answer = Err(policy::after_failure(&why, 0));
                    return Worked::Robots { host, ticket, answer, bytes_wire };
                }
            };
            bytes_wire += page.bytes_wire;
            if matches!(page.cut, Some(Cut::Time | Cut::Disconnect)) {
                // The rule that forbids may stand in the part that did not come.
                let why = format!("{url} did not come whole");
                return Worked::Robots {
                    host,
                    ticket,
                    answer: Err(Outcome::Retry { why }),
                    bytes_wire,
                };
            }
            match redirect_target(&page) {
                Some(Ok(target)) => url = target,
                _ => {
                    let decoded =
                        coding::decode(&page.body, page.header("content-encoding"), ROBOTS_BYTES);
                    let reply = RobotsReply {
                        status: page.status,
                        rest: policy::retry_after(&page, SystemTime::now()),
                        took: page.first_byte,
                        body: decoded.bytes.into_owned(),
                    };
                    return Worked::Robots { host, ticket, answer: Ok(reply), bytes_wire };
                }
            }
        }
        // Too many hops count as "not available": everything may be crawled (RFC 9309, 2.3.1.2).
        let took = Duration::ZERO;
        let reply = RobotsReply { status: 404, body: Vec::new(), rest: None, took };
        Worked::Robots { host, ticket, answer: Ok(reply), bytes_wire }
    }
}

impl PageWorked {
    /// Nothing is kept.
    pub fn of(job: PageJob, outcome: Outcome, answer: Option<Answer>) -> PageWorked {
        PageWorked {
            leased: job.leased,
            outcome,
            packed: None,
            ticket: job.ticket,
            bytes_wire: 0,
            answer,
            pattern: job.admitted.pattern,
            sketch: None,
            is_text: false,
            links: 0,
            visit: None,
            came: None,
        }
    }
}
<<<<<<< HEAD
=======

/// What is known of a page that the server says is as it was.
fn unchanged(page: &Page, earlier: Option<&Visit>) -> Option<Unchanged> {
    let is_answer = page.status == NOT_MODIFIED;
    let earlier = earlier.filter(|earlier| is_answer && earlier.has_validators())?;
    Some(Unchanged { digest: earlier.digest.clone(), since_ms: earlier.at_ms })
}

/// What is compared to the letter with the last time: the fields that somebody asked for, and where it leads
/// if it is no page. 0 for a page without fields.
fn exact(status: u16, facts: &PageFacts) -> u64 {
    let mut text = String::new();
    facts.fields.iter().for_each(|(name, value)| text.extend([name, "\n", value, "\n"]));
    if !(200..300).contains(&status) {
        text.push_str(&format!("{status} {}", facts.final_url));
    }
    if text.is_empty() { 0 } else { Fingerprint::of(&text).0 as u64 }
}

/// What to note of a visit, and what it has brought beside the one before.
fn compared(
    job: &PageJob,
    mut brought: Brought,
    visit: Option<Visit>,
    earlier: Option<Visit>,
) -> (Option<Visit>, Option<Came>) {
    let changes = earlier.as_ref().map(|earlier| earlier.changes).unwrap_or_default();
    let mut new = match (brought.is_same, visit, earlier) {
        // The payload is the one of then.
        (true, _, Some(earlier)) => earlier,
        (_, Some(visit), earlier) => {
            let same =
                |earlier: &Visit| earlier.digest == visit.digest && brought.exact == changes.exact;
            brought.is_same = earlier.as_ref().is_some_and(same);
            let told = visit
                .modified_ms()
                .filter(|at| earlier.as_ref().and_then(Visit::modified_ms) != Some(*at));
            let listed = job.leased.lastmod_s.map(|at| u64::from(at) * 1000);
            brought.modified_ms = told.or(listed.filter(|_| changes.visits == 0));
            visit
        }
        (_, None, _) => return (None, None),
    };
    new.changes = changes;
    let came = new.changes.learn(&brought, &job.habits.belief);
    (Some(new), Some(came))
}

impl Tools {
    fn keep(
        &mut self,
        worker: &Worker,
        job: PageJob,
        page: Page,
        answer: Answer,
        earlier: Option<Visit>,
    ) -> PageWorked {
        let unchanged = unchanged(&page, earlier.as_ref());
        let is_unchanged = unchanged.is_some();
        let visit = Visit::of(&page);
        let fetched_ms = millis(page.fetched_at);
        let mut links = Links::default();
        let mut final_url = page.url.clone();
        if let Some(Ok(target)) = redirect_target(&page) {
            final_url = worker.as_given.canonical(&target);
            links.push(&final_url, Fingerprint::of(&final_url), LinkKind::Redirect);
        }
        let content_type = page.header("content-type").map(str::to_owned);
        let decoded = worker.decode(&page);
        let read =
            (200..300).contains(&page.status) && is_html(content_type.as_deref(), &decoded.bytes);
        let (facts, near) = match read {
            true => {
                self.read_links(worker, &job, &decoded.bytes, content_type.as_deref(), &mut links)
            }
            false => (Facts::default(), 0),
        };
        let bytes_body = decoded.bytes.len() as u64;
        let wanted = read && (worker.sketches || job.admitted.sketch);
        let sketch = wanted
            .then(|| sketch(&decoded.bytes, &job.leased.url))
            .filter(|sketch| !sketch.sample.is_empty());
        drop(decoded);
        let directives = Directives::of(&page, &facts.robots, &worker.product);
        if directives.nofollow && job.obeys_robots {
            links.retain_redirects();
        }
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
            canonical: facts.canonical,
            noindex: directives.noindex,
            simhash: sketch.as_ref().map(|sketch| sketch.simhash),
            lang: facts.lang,
            title: facts.title,
            unchanged,
            ..PageFacts::default()
        };
        let asked_for_sketch = job.admitted.sketch;
        let brought = Brought {
            at_ms: fetched_ms,
            bytes: page.bytes_wire,
            text: facts.simhash.unwrap_or(0),
            exact: exact(page.status, &facts),
            is_same: is_unchanged,
            any: job.habits.any_change,
            modified_ms: None,
        };
        // A store that keeps nothing needs no digest, and tells none.
        let own = (!worker.keeps).then(|| format!("xxh3:{:032x}", xxh3_128(&page.body)));
        let packed = self.packer.pack(page, facts);
        let digest = own.unwrap_or_else(|| packed.digest());
        let visit = visit.map(|visit| Visit { digest, ..visit });
        let (visit, came) = compared(&job, brought, visit, earlier);
        PageWorked {
            visit,
            came,
            packed: Some(packed),
            is_text: read,
            links: near,
            sketch: sketch.filter(|_| asked_for_sketch),
            ..PageWorked::of(job, outcome, Some(answer))
        }
    }

    fn read_links(
        &mut self,
        worker: &Worker,
        job: &PageJob,
        body: &[u8],
        content_type: Option<&str>,
        links: &mut Links,
    ) -> (Facts, u32) {
        let home = origin(job.url.as_str());
        let mut near = 0;
        let ask = Ask { body, url: &job.url, content_type, assets: worker.assets };
        let recent = &mut self.recent;
        let facts = self.parser.parse(ask, |link| {
            let refused = link.nofollow && worker.obeys_nofollow;
            near += u32::from(!refused && origin(link.url) == home);
            if !refused && recent.is_new(link.fingerprint) {
                links.push(link.url, link.fingerprint, link.kind);
            }
        });
        (facts, near)
    }
}
>>>>>>> i7-recrawl
