use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use weir_crawl::{Admitted, Job, PageJob, SiteHabits};
use weir_fetch::{Claim, Share};
use weir_frontier::{HostId, Leased, UrlKind};
use weir_plan::refresh::Belief;

use super::links::check;
use super::{Odd, addresses, to_address};
use crate::wire;
use crate::wire::job::What;

/// A job as a downloader has it.
pub struct Taken {
    pub number: u64,
    pub ticket: Bytes,
    pub job: Job,
}

/// `ticket` is the sealed one, empty for what is no page.
pub fn to_job(number: u64, job: &Job, ticket: Bytes) -> wire::Job {
    let (url, what) = match job {
        Job::Page(page) => (page.url.as_str(), What::Page(to_page(page, ticket))),
        Job::Robots { url, addresses, claim, .. } => {
            let addresses = to_addresses(addresses);
            let claim = claim.as_ref().map(to_claim);
            (url.as_str(), What::Robots(wire::Robots { addresses, claim }))
        }
        Job::Resolve { url, .. } => (url.as_str(), What::Resolve(wire::Resolve {})),
    };
    wire::Job { number, url: url.to_owned(), what: Some(what) }
}

fn to_page(job: &PageJob, ticket: Bytes) -> wire::Page {
    wire::Page {
        site: job.site.to_string(),
        addresses: to_addresses(&job.addresses),
        claim: job.claim.as_ref().map(to_claim),
        depth: job.leased.depth,
        attempts: job.leased.attempts,
        parent: job.leased.parent.clone().unwrap_or_default(),
        is_sitemap: job.leased.kind == UrlKind::Sitemap,
        note: job.leased.note.clone().unwrap_or_default().into(),
        lastmod_s: job.leased.lastmod_s.unwrap_or(0),
        sketch: job.admitted.sketch,
        obeys_robots: job.obeys_robots,
        promise: u32::from(job.promise),
        belief_changes: job.habits.belief.changes,
        belief_days: job.habits.belief.days,
        any_change: job.habits.any_change,
        ticket,
    }
}

fn to_addresses(all: &[SocketAddr]) -> Vec<wire::Address> {
    all.iter().map(to_address).collect()
}

fn to_claim(claim: &Claim) -> wire::Claim {
    wire::Claim { share: claim.share.number(), speed: claim.speed.unwrap_or(0.0) }
}

/// `share` gives the downloader's own share for one of the scheduler's.
pub fn take_job(
    sent: wire::Job,
    share: &mut dyn FnMut(u32) -> Option<Share>,
) -> Result<Taken, Odd> {
    let url = check(&sent.url)?;
    let mut claim = |claim: Option<wire::Claim>| {
        let claim = claim?;
        let speed = Some(claim.speed).filter(|speed| *speed > 0.0 && speed.is_finite());
        Some(Claim { share: share(claim.share)?, speed })
    };
    let host = HostId(0);
    let number = sent.number;
    match sent.what {
        Some(What::Page(page)) => {
            let claim = claim(page.claim);
            let job = PageJob {
                addresses: addresses(&page.addresses)?.into(),
                site: Arc::from(page.site.as_str()),
                claim,
                ticket: 0,
                admitted: Admitted { pattern: None, sketch: page.sketch },
                obeys_robots: page.obeys_robots,
                promise: u8::try_from(page.promise).unwrap_or(u8::MAX),
                habits: SiteHabits { belief: belief(&page)?, any_change: page.any_change },
                leased: leased(&sent.url, &page),
                url,
            };
            Ok(Taken { number, ticket: page.ticket, job: Job::Page(Box::new(job)) })
        }
        Some(What::Robots(robots)) => {
            let claim = claim(robots.claim);
            let addresses = addresses(&robots.addresses)?.into();
            let job = Job::Robots { host, url, addresses, claim, ticket: 0 };
            Ok(Taken { number, ticket: Bytes::new(), job })
        }
        Some(What::Resolve(_)) => {
            Ok(Taken { number, ticket: Bytes::new(), job: Job::Resolve { host, url } })
        }
        None => Err(Odd::new("a job", "nothing")),
    }
}

fn leased(url: &str, page: &wire::Page) -> Leased {
    Leased {
        number: 0,
        host: HostId(0),
        url: url.to_owned(),
        score: 0.0,
        parent: Some(page.parent.clone()).filter(|parent| !parent.is_empty()),
        depth: page.depth,
        redirects: 0,
        attempts: page.attempts,
        place: 0,
        kind: if page.is_sitemap { UrlKind::Sitemap } else { UrlKind::Page },
        note: Some(page.note.to_vec()).filter(|note| !note.is_empty()),
        lastmod_s: Some(page.lastmod_s).filter(|lastmod| *lastmod > 0),
    }
}

fn belief(page: &wire::Page) -> Result<Belief, Odd> {
    let (changes, days) = (page.belief_changes, page.belief_days);
    match changes.is_finite() && days.is_finite() && changes >= 0.0 && days >= 0.0 {
        true => Ok(Belief { changes, days }),
        false => Err(Odd::new("how often pages change", format!("{changes} in {days} days"))),
    }
}

/// What a scheduler that knows nothing of the job must know to settle it.
pub fn page_ticket(leased: &Leased) -> wire::Ticket {
    wire::Ticket {
        url_number: leased.number,
        host: leased.host.0,
        url: leased.url.clone(),
        score: leased.score,
        parent: leased.parent.clone().unwrap_or_default(),
        depth: leased.depth,
        redirects: leased.redirects,
        attempts: leased.attempts,
        place: leased.place,
        is_sitemap: leased.kind == UrlKind::Sitemap,
        lastmod_s: leased.lastmod_s.unwrap_or(0),
    }
}

/// The job that a ticket of ours was made of, as far as an outcome needs it.
pub fn ticket_job(ticket: wire::Ticket) -> Result<PageJob, Odd> {
    let url = check(&ticket.url)?;
    let leased = Leased {
        number: ticket.url_number,
        host: HostId(ticket.host),
        score: ticket.score,
        parent: Some(ticket.parent).filter(|parent| !parent.is_empty()),
        depth: ticket.depth,
        redirects: ticket.redirects,
        attempts: ticket.attempts,
        place: ticket.place,
        kind: if ticket.is_sitemap { UrlKind::Sitemap } else { UrlKind::Page },
        note: None,
        lastmod_s: Some(ticket.lastmod_s).filter(|lastmod| *lastmod > 0),
        url: ticket.url,
    };
    Ok(PageJob {
        url,
        site: Arc::from(""),
        addresses: Arc::from([]),
        claim: None,
        ticket: 0,
        admitted: Admitted::default(),
        obeys_robots: true,
        promise: 0,
        habits: SiteHabits { belief: Belief { changes: 0.0, days: 0.0 }, any_change: false },
        leased,
    })
}
