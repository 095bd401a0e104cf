//! One leased URL: fetch it, have it read and packed for the store (`keeper.rs`), and say what came of it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use url::Url;
use weir_fetch::robots::Robots;
use weir_fetch::{Claim, Fetcher, SetupError, coding, redirect_target};
use weir_frontier::{HostId, Leased, UrlKind};
use weir_plan::refresh::Belief;
use weir_store::{Packed, StoreConfig};
use weir_types::{Cut, Outcome, Sketch};

use crate::freshness::Came;
use crate::hands::Origin;
use crate::keeper::{Arrived, Keeper};
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
    /// What was expected of it when it was found, if the crawl has a focus.
    pub promise: u8,
    pub habits: SiteHabits,
}

/// What is known of the pages of a site when one of them is visited once more.
#[derive(Clone, Copy, Debug)]
pub struct SiteHabits {
    /// How often they change.
    pub belief: Belief,
    /// Any other byte is a change, however near the text is.
    pub any_change: bool,
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
    /// Its links to the host it came from, known or not, as far as they are followed.
    pub links: u32,
    /// What to note for the next time it is asked for.
    pub visit: Option<Visit>,
    /// Compared with the last time.
    pub came: Option<Came>,
    /// What the user's rule says of it, if there is one.
    pub rule: Option<bool>,
    /// Who brought it, if it was not this process.
    pub from: Option<Origin>,
    /// Nobody waits for it any more: it was asked for by a scheduler that has been killed since, or somebody else was first.
    pub is_late: bool,
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
    keeper: Arc<Keeper>,
}

/// RFC 9309 asks for five hops at least.
const ROBOTS_REDIRECTS: usize = 5;

impl Worker {
    pub fn new(config: &crate::Config, store: &StoreConfig) -> Result<Worker, SetupError> {
        let fetcher = Fetcher::new(config.fetch.clone())?;
        Ok(Worker { fetcher, keeper: Arc::new(Keeper::new(config, store)) })
    }

    pub async fn work(&self, job: Job) -> Worked {
        match job {
            Job::Page(job) => Worked::Page(Box::new(self.page(job).await)),
            Job::Resolve { host, url } => {
                // The rare jobs have a place of their own: a job is moved about, and takes as much room as the largest.
                let answer = Box::pin(self.fetcher.resolve(&url)).await;
                let answer = answer.map_err(|why| policy::after_failure(&why, 0));
                Worked::Resolved { host, answer }
            }
            Job::Robots { host, url, addresses, claim, ticket } => {
                Box::pin(self.robots(host, url, &addresses, claim, ticket)).await
            }
        }
    }

    /// To be said of what came of a job as soon as it is sure to be settled, by whomever: links of a page are reported until
    /// then, and left out of the pages after that.
    pub fn handed_over(&self, worked: &Worked) {
        if let Worked::Page(worked) = worked {
            self.keeper.handed_over(&worked.outcome);
        }
    }

    async fn page(&self, job: Box<PageJob>) -> PageWorked {
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
            None => self.keeper.keep(Arrived { job, page, answer, earlier }).await,
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
            let fetched =
                self.fetcher.fetch_small(&url, addresses, claim, Robots::MOST_BYTES).await;
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
                    let decoded = coding::decode(
                        &page.body,
                        page.header("content-encoding"),
                        Robots::MOST_BYTES,
                    );
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
    pub fn of(job: Box<PageJob>, outcome: Outcome, answer: Option<Answer>) -> PageWorked {
        let PageJob { leased, ticket, admitted, .. } = *job;
        PageWorked {
            leased,
            outcome,
            packed: None,
            ticket,
            bytes_wire: 0,
            answer,
            pattern: admitted.pattern,
            sketch: None,
            is_text: false,
            links: 0,
            visit: None,
            came: None,
            rule: None,
            from: None,
            is_late: false,
        }
    }
}
