//! What is done with a page that came: its links and its content are read, and it is packed for the
//! store. Content costs more than all the rest, so whoever wants it has all of this done on other
//! threads than those that the network is served on.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use twox_hash::XxHash3_128;
use weir_fetch::coding::{self, Decoded};
use weir_fetch::redirect_target;
use weir_parse::canonical::MAX_URL;
use weir_parse::{Ask, Facts, Finding, Parser, Rules, is_html, sketch};
use weir_store::{Packer, PageFacts, StoreConfig, Unchanged};
use weir_types::{Fingerprint, LinkKind, Links, NOT_MODIFIED, Outcome, Page, Sketch};

use crate::content::{self, Asked, Content, PageContent, Reader, Source};
use crate::directives::Directives;
use crate::freshness::{Brought, compared, millis};
use crate::recent::Recent;
use crate::scope::{is_at, origin};
use crate::visit::Visit;
use crate::work::{Answer, PageJob, PageWorked};

/// How pages are kept, and the tools for it.
pub struct Keeper {
    pub rules: Rules,
    /// For targets of redirects: a server that adds or removes a session id by a redirect must not
    /// be sent back to where it came from.
    as_given: Rules,
    assets: bool,
    /// The name under which pages speak to us.
    product: String,
    obeys_nofollow: bool,
    decoded_most: usize,
    /// Of every page, because they are columns of the table, or tell whether it has changed.
    sketches: bool,
    /// Pages go to a WARC or a table.
    keeps: bool,
    content: Arc<Content>,
    store: StoreConfig,
    /// None where all links are wanted.
    recent: Option<Mutex<Recent>>,
    /// As many as were ever used at a time.
    tools: Mutex<Vec<Tools>>,
    /// Of pages whose content is read; the others wait where they are. A large page takes all of them: it needs
    /// many times its length while it is read.
    turns: Semaphore,
    most_turns: u32,
}

struct Tools {
    parser: Parser,
    /// Those of the page that is read, most of which are known...
    links: Links,
    /// ...and which of them are.
    known: Vec<bool>,
    packer: Packer,
    reader: Reader,
}

/// A page that came, and what is known of how.
pub struct Arrived {
    pub job: Box<PageJob>,
    pub page: Page,
    pub answer: Answer,
    pub earlier: Option<Visit>,
}

/// What was read in a page.
struct Reading {
    facts: Facts,
    links: Links,
    /// Of its links, those to its own host.
    near: u32,
    content: PageContent,
    /// Where it leads, or its own.
    final_url: String,
    is_text: bool,
    bytes_body: u64,
    sketch: Option<Sketch>,
}

/// Of a body that was compressed, this much is read in any case...
const DECODED_LEAST: usize = 1 << 20;
/// ...and more only up to so many times what came: text does not shrink further, bombs do.
const DECODED_RATIO: usize = 32;
/// Nearly all pages are shorter.
const LARGE: usize = 512 << 10;

impl Keeper {
    pub fn new(config: &crate::Config, store: &StoreConfig) -> Keeper {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let most_turns = u32::try_from(cores / config.threads).unwrap_or(1).max(1);
        Keeper {
            rules: Rules::default().strip(&config.strip),
            as_given: Rules::plain(),
            assets: config.assets,
            product: config.product.clone(),
            obeys_nofollow: config.nofollow,
            sketches: config.store.parquet || config.freshness.is_some(),
            keeps: config.store.warc || config.store.parquet,
            decoded_most: config.fetch.limits.body_bytes,
            content: config.content.clone(),
            store: store.clone(),
            // With a limit on depth a link that was met lately may be a shorter way now.
            recent: (!config.all_links && !config.limits_depth())
                .then(|| Mutex::new(Recent::new())),
            tools: Mutex::default(),
            turns: Semaphore::new(most_turns as usize),
            most_turns,
        }
    }

    pub async fn keep(self: &Arc<Self>, came: Arrived) -> PageWorked {
        if !self.content.is_wanted() {
            return self.keep_now(came);
        }
        let turns = if is_large(&came.page) { self.most_turns } else { 1 };
        let turn = self.turns.acquire_many(turns).await.expect("nobody closes it");
        let keeper = self.clone();
        let kept = spawn_blocking(move || keeper.keep_now(came)).await;
        drop(turn);
        match kept {
            Ok(worked) => worked,
            Err(why) => std::panic::resume_unwind(why.into_panic()),
        }
    }

    /// Nobody can take the outcome back any more: links that it has need not be reported again.
    pub fn handed_over(&self, outcome: &Outcome) {
        if let (Some(recent), Outcome::Kept { links, .. }) = (&self.recent, outcome) {
            let mut recent = recent.lock().unwrap_or_else(PoisonError::into_inner);
            links.iter().for_each(|link| recent.note(link.fingerprint));
        }
    }

    fn keep_now(&self, came: Arrived) -> PageWorked {
        let lock = || self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let free = lock().pop();
        let mut tools = free.unwrap_or_else(|| Tools {
            parser: Parser::with_rules(self.rules.clone()),
            links: Links::default(),
            known: Vec::new(),
            packer: Packer::new(&self.store),
            reader: Reader::default(),
        });
        let worked = tools.keep(self, came);
        lock().push(tools);
        worked
    }

    /// The body without its content coding, as far as it is worth reading.
    pub fn decode<'a>(&self, page: &'a Page) -> Decoded<'a> {
        let worth = page.body.len().saturating_mul(DECODED_RATIO).max(DECODED_LEAST);
        let most = worth.min(self.decoded_most).max(page.body.len());
        coding::decode(&page.body, page.header("content-encoding"), most)
    }

    /// Where a response leads if it is a redirect, as a link too, unless it is longer than URLs that are crawled.
    pub fn redirect(&self, page: &Page, links: &mut Links) -> Option<String> {
        let target = self.as_given.canonical(&redirect_target(page)?.ok()?);
        if target.len() <= MAX_URL {
            links.push(&target, Fingerprint::of(&target), LinkKind::Redirect);
        }
        Some(target)
    }

    /// Says what links promise that stand in no page, if the crawl has a focus.
    pub fn promise(&self, job: &PageJob, links: &mut Links) {
        if let Some(focus) = self.content.focus {
            let topic = &self.content.topics[focus];
            links.promise(|link| content::parent_promise(topic, &link, job.promise));
        }
    }
}

/// Of a body that is compressed, what it will be is not known yet.
fn is_large(page: &Page) -> bool {
    let is_coded = page.header("content-encoding").is_some();
    page.body.len() > if is_coded { LARGE / 8 } else { LARGE }
}

/// What is known of a page that the server says is as it was.
fn unchanged(page: &Page, earlier: Option<&Visit>) -> Option<Unchanged> {
    let is_answer = page.status == NOT_MODIFIED;
    let earlier = earlier.filter(|earlier| is_answer && earlier.has_validators())?;
    Some(Unchanged { digest: earlier.digest.clone(), since_ms: earlier.at_ms })
}

/// What is compared to the letter with the last time: the fields that somebody asked for, and where it leads
/// if it is no page. 0 for a page without fields.
fn exact(status: u16, facts: &PageFacts, content: &PageContent) -> u64 {
    let mut text = String::new();
    let fields = content.fields.iter().filter(|(_, value)| !value.is_null());
    fields.for_each(|(name, value)| text.push_str(&format!("{name}\n{value}\n")));
    if !(200..300).contains(&status) {
        text.push_str(&format!("{status} {}", facts.final_url));
    }
    if text.is_empty() { 0 } else { Fingerprint::of(&text).0 as u64 }
}

impl Keeper {
    /// Whether the page becomes a row, if there is a rule. One that is as it was has a row from the
    /// last time, or has none for a reason.
    fn verdict(
        &self,
        job: &PageJob,
        page: &Page,
        facts: &PageFacts,
        content: &PageContent,
        now: Timestamp,
    ) -> Option<bool> {
        let rule = self.content.of(&job.site, origin(job.url.as_str())).rule.as_ref()?;
        let asked = Asked {
            content: &self.content,
            page: content,
            url: &page.url,
            site: &facts.site,
            depth: facts.depth,
            status: page.status,
            bytes: facts.bytes_body,
            content_type: facts.content_type.as_deref(),
            charset: facts.charset.as_deref(),
            fetched_at: now,
        };
        Some(facts.unchanged.is_none() && rule.holds(&asked, now))
    }
}

impl Tools {
    fn keep(&mut self, keeper: &Keeper, came: Arrived) -> PageWorked {
        let Arrived { job, page, answer, earlier } = came;
        let unchanged = unchanged(&page, earlier.as_ref());
        let is_unchanged = unchanged.is_some();
        let visit = Visit::of(&page);
        let fetched_ms = millis(page.fetched_at);
        let now = Timestamp::try_from(page.fetched_at).unwrap_or_else(|_| Timestamp::now());
        let Reading {
            facts: found,
            mut links,
            mut near,
            content,
            final_url,
            is_text,
            bytes_body,
            sketch,
        } = self.read(keeper, &job, &page, now);
        let directives = Directives::of(&page, &found.robots, &keeper.product);
        if directives.nofollow && job.obeys_robots {
            links.retain_redirects();
            near = 0;
        }
        let outcome =
            Outcome::Kept { status: page.status, bytes_wire: page.bytes_wire, bytes_body, links };
        let mut facts = PageFacts {
            site: job.site.to_string(),
            depth: job.leased.depth,
            parent: job.leased.parent.clone(),
            final_url,
            content_type: page.header("content-type").map(str::to_owned),
            charset: is_text.then(|| found.charset.to_owned()),
            bytes_body,
            canonical: found.canonical,
            noindex: directives.noindex,
            simhash: sketch.as_ref().map(|sketch| sketch.simhash),
            lang: found.lang,
            title: found.title,
            unchanged,
            ..PageFacts::default()
        };
        facts.kept = keeper.verdict(&job, &page, &facts, &content, now);
        // Whether or not there is a row: one that a rule leaves out has not changed by that.
        let exact = exact(page.status, &facts, &content);
        if facts.kept != Some(false) {
            content::put(&keeper.content, content, &mut facts);
        }
        let asked_for_sketch = job.admitted.sketch;
        let brought = Brought {
            at_ms: fetched_ms,
            bytes: page.bytes_wire,
            text: facts.simhash.unwrap_or(0),
            exact,
            is_same: is_unchanged,
            any: job.habits.any_change,
            modified_ms: None,
        };
        // A store that keeps nothing needs no digest, and tells none.
        let own =
            (!keeper.keeps).then(|| format!("xxh3:{:032x}", XxHash3_128::oneshot(&page.body)));
        let packed = self.packer.pack(page, facts);
        let digest = own.unwrap_or_else(|| packed.digest());
        let visit = visit.map(|visit| Visit { digest, ..visit });
        let listed = job.leased.lastmod_s.map(|at| u64::from(at) * 1000);
        let (visit, came) = compared(brought, visit, earlier, listed, &job.habits.belief);
        PageWorked {
            visit,
            came,
            rule: packed.kept(),
            packed: Some(packed),
            is_text,
            links: near,
            sketch: sketch.filter(|_| asked_for_sketch),
            ..PageWorked::of(job, outcome, Some(answer))
        }
    }

    /// Reads what there is to be read in it.
    fn read(&mut self, keeper: &Keeper, job: &PageJob, page: &Page, now: Timestamp) -> Reading {
        let mut links = Links::default();
        let final_url = keeper.redirect(page, &mut links).unwrap_or_else(|| page.url.clone());
        let content_type = page.header("content-type");
        let body = keeper.decode(page).bytes;
        let is_text = (200..300).contains(&page.status) && is_html(content_type, &body);
        let (facts, near) = match is_text {
            true => self.read_links(keeper, job, &body, content_type, &mut links),
            false => (Facts::default(), 0),
        };
        let content = match is_text && keeper.content.is_wanted() {
            true => self.read_content(keeper, job, &body, &facts, now, &mut links),
            false => {
                keeper.promise(job, &mut links);
                PageContent::default()
            }
        };
        let wanted = is_text && (keeper.sketches || job.admitted.sketch);
        let sketch = wanted
            .then(|| sketch(&body, &job.leased.url))
            .filter(|sketch| !sketch.sample.is_empty());
        let bytes_body = body.len() as u64;
        Reading { facts, links, near, content, final_url, is_text, bytes_body, sketch }
    }

    fn read_content(
        &mut self,
        keeper: &Keeper,
        job: &PageJob,
        body: &[u8],
        facts: &Facts,
        now: Timestamp,
        links: &mut Links,
    ) -> PageContent {
        let source = Source {
            body,
            charset: facts.charset,
            url: &job.url,
            base: facts.base.as_deref(),
            rules: &keeper.rules,
            promise: job.promise,
            now,
        };
        let site = keeper.content.of(&job.site, origin(job.url.as_str()));
        self.reader.read(&keeper.content, site, &source, links)
    }

    fn read_links(
        &mut self,
        keeper: &Keeper,
        job: &PageJob,
        body: &[u8],
        content_type: Option<&str>,
        links: &mut Links,
    ) -> (Facts, u32) {
        let home = origin(job.url.as_str());
        let mut near = 0;
        self.links.clear();
        let ask = Ask { body, url: &job.url, content_type, assets: keeper.assets };
        let facts = self.parser.parse(ask, |finding| {
            let Finding::Link(link) = finding else {
                near = 0;
                self.links.clear();
                return;
            };
            let refused = link.nofollow && keeper.obeys_nofollow;
            if !refused {
                near += u32::from(is_at(link.url, home));
                self.links.push(link.url, link.fingerprint, link.kind);
            }
        });
        // All are looked up before any is taken: what is far apart in memory comes at once, if nothing depends on it in between.
        self.known.clear();
        if let Some(recent) = &keeper.recent {
            let recent = recent.lock().unwrap_or_else(PoisonError::into_inner);
            self.known.extend(self.links.iter().map(|link| recent.has(link.fingerprint)));
        }
        self.known.resize(self.links.len(), false);
        let new = self.links.iter().zip(&self.known).filter(|(_, is_known)| !**is_known);
        new.for_each(|(link, _)| links.take(link));
        (facts, near)
    }
}
