//! Downloaders that say whatever they like, without a network.

use bytes::Bytes;
use tempfile::TempDir;
use tokio::sync::mpsc;
use url::Url;
use weir_crawl::{Admitted, PageJob, SiteHabits};
use weir_frontier::{Config, Leased, UrlKind};
use weir_plan::refresh::Belief;

use super::*;
use crate::machine;
use crate::wire::failed::Kind;
use crate::wire::{Failed, InForce, Kept, Order, Pulse};

struct Scene {
    folder: TempDir,
    frontier: Option<Frontier>,
    cluster: Cluster,
    links: u64,
}

/// A downloader's end of the stream.
struct Peer {
    link: LinkId,
    orders: mpsc::Receiver<Result<Order, Status>>,
    outcomes: u64,
    version: u64,
}

const LIMIT: f64 = 1000.0;

impl Scene {
    fn new() -> Scene {
        Scene::of(None)
    }

    fn of(limit: Option<f64>) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let (frontier, cluster) = open(&folder, false, limit.map(Shaper::new));
        Scene { folder, frontier: Some(frontier), cluster, links: 0 }
    }

    /// The scheduler is killed and started again.
    fn restart(&mut self) {
        let frontier = self.frontier.as_mut().unwrap();
        self.cluster.note(frontier);
        frontier.write().unwrap();
        drop(self.frontier.take());
        let (frontier, cluster) = open(&self.folder, true, None);
        (self.frontier, self.cluster) = (Some(frontier), cluster);
    }

    fn join(&mut self, id: u8, start: u64, held: &[u64]) -> Peer {
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        self.join_from(peer, &[], id, start, held)
    }

    fn join_from(
        &mut self,
        peer: SocketAddr,
        machine: &[u8],
        id: u8,
        start: u64,
        held: &[u64],
    ) -> Peer {
        self.links += 1;
        let link = self.links;
        let (orders, received) = mpsc::channel(64);
        let hello = Hello {
            version: crate::VERSION,
            id: Bytes::from(vec![id; 16]),
            name: format!("number {id}"),
            slots: 4,
            start,
            held: held.to_vec(),
            machine: machine.to_vec().into(),
            ..Hello::default()
        };
        self.cluster.arrived(Arrival::Joined { link, hello, orders, peer });
        Peer { link, orders: received, outcomes: 0, version: 0 }
    }

    /// A page that is to be fetched; its job's number.
    fn page(&mut self, url: &str) -> u64 {
        self.cluster.start_job(HostId(0), Job::Page(Box::new(page(url))));
        self.cluster.pump();
        u64::from(self.cluster.note.epoch) << 32 | u64::from(self.cluster.last_job)
    }

    fn bring(&mut self, peer: &mut Peer, outcome: wire::Outcome) -> Vec<Worked> {
        peer.outcomes = outcome.number;
        self.cluster.arrived(Arrival::Outcomes { link: peer.link, outcomes: vec![outcome] })
    }

    /// The next outcome of a peer: the job was kept.
    fn keep(&mut self, peer: &mut Peer, job: u64, ticket: Bytes) -> Vec<Worked> {
        let outcome = kept(peer.outcomes + 1, job, ticket);
        self.bring(peer, outcome)
    }

    /// All of these hold what they were told, could do with more, and are told anew.
    fn share_out(&mut self, peers: &mut [&mut Peer]) {
        for _ in 0..4 {
            for peer in &mut *peers {
                let total = Some(InForce { version: peer.granted(), ..InForce::default() });
                let pulse = Pulse { waiting: 1, total, ..Pulse::default() };
                self.cluster.arrived(Arrival::Pulse { link: peer.link, pulse });
            }
            self.cluster.tick(None, Some(LIMIT));
        }
    }

    fn shares(&self) -> Vec<f64> {
        let reports = self.cluster.reports();
        reports.iter().map(|report| report.share.unwrap_or(f64::NAN)).collect()
    }

    /// As the loop does.
    fn settle(&mut self, worked: &[Worked], counts: bool) {
        for worked in worked {
            let Worked::Page(page) = worked else { continue };
            self.cluster.settled(page.from.unwrap(), counts);
        }
    }
}

impl Peer {
    fn all(&mut self) -> Vec<Result<What, Status>> {
        let next = || self.orders.try_recv().ok();
        std::iter::from_fn(next).map(|order| order.map(|order| order.what.unwrap())).collect()
    }

    /// The last grant that it was sent; zero for none.
    fn granted(&mut self) -> u64 {
        let version = |what| match what {
            Ok(What::Rates(rates)) => rates.total.map(|grant| grant.version),
            _ => None,
        };
        let last = self.all().into_iter().filter_map(version).last();
        self.version = last.unwrap_or(self.version);
        self.version
    }

    fn jobs(&mut self) -> Vec<wire::Job> {
        let jobs = |what| match what {
            Ok(What::Jobs(jobs)) => jobs.jobs,
            _ => Vec::new(),
        };
        self.all().into_iter().flat_map(jobs).collect()
    }

    fn settled(&mut self) -> Vec<Settled> {
        let settled = |what| match what {
            Ok(What::Settled(settled)) => Some(settled),
            _ => None,
        };
        self.all().into_iter().filter_map(settled).collect()
    }

    fn left_out(&mut self) -> Vec<u64> {
        let left = |what| match what {
            Ok(What::Leave(leave)) => leave.jobs,
            _ => Vec::new(),
        };
        self.all().into_iter().flat_map(left).collect()
    }
}

fn open(folder: &TempDir, resumed: bool, book: Option<Shaper>) -> (Frontier, Cluster) {
    let (mut frontier, _) = Frontier::open(folder.path(), Config::default()).unwrap();
    let setup = Setup {
        frontier: &mut frontier,
        resumed,
        handed: HandedOn::default(),
        dispatch: Dispatch::ShortestQueue,
        book,
        has_budget: false,
        received: Arc::default(),
        write_off: &[],
    };
    let cluster = Cluster::new(setup).unwrap();
    (frontier, cluster)
}

fn page(url: &str) -> PageJob {
    let leased = Leased {
        number: 7,
        host: HostId(0),
        url: url.to_owned(),
        score: 0.0,
        parent: None,
        depth: 0,
        redirects: 0,
        attempts: 0,
        place: 0,
        kind: UrlKind::Page,
        note: None,
        lastmod_s: None,
    };
    PageJob {
        leased,
        url: Url::parse(url).unwrap(),
        site: Arc::from("a.example"),
        addresses: Arc::from([SocketAddr::from(([127, 0, 0, 1], 80))]),
        claim: None,
        ticket: 3,
        admitted: Admitted::default(),
        obeys_robots: true,
        promise: 0,
        habits: SiteHabits { belief: Belief::known(1.0), any_change: false },
    }
}

fn kept(number: u64, job: u64, ticket: Bytes) -> wire::Outcome {
    let kept = Kept { status: 200, ..Kept::default() };
    let what = Some(wire::outcome::What::Kept(kept));
    wire::Outcome { number, job, ticket, what, bytes_wire: 10, ..wire::Outcome::default() }
}

fn ticket(job: &wire::Job) -> Bytes {
    match &job.what {
        Some(wire::job::What::Page(page)) => page.ticket.clone(),
        _ => Bytes::new(),
    }
}

#[test]
fn an_outcome_is_settled_once_and_its_repetition_is_nothing() {
    let mut scene = Scene::new();
    let mut peer = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    assert_eq!(peer.jobs().iter().map(|job| job.number).collect::<Vec<_>>(), [job]);
    let worked = scene.keep(&mut peer, job, Bytes::new());
    assert!(matches!(&worked[..], [Worked::Page(page)] if page.ticket == 3 && !page.is_late));
    let again = scene.bring(&mut peer, kept(1, job, Bytes::new()));
    assert!(again.is_empty(), "the same number once more");
    let twice = scene.keep(&mut peer, job, Bytes::new());
    assert!(twice.is_empty(), "the same job under another number");
    scene.settle(&worked, true);
    scene.cluster.sealed();
    assert_eq!(peer.settled(), [Settled { upto: 2, rejected: vec![2] }]);
}

#[test]
fn nothing_is_told_as_settled_before_it_is_safe() {
    let mut scene = Scene::new();
    let mut peer = scene.join(1, 1, &[]);
    let jobs = [scene.page("http://a.example/1"), scene.page("http://a.example/2")];
    let first = scene.keep(&mut peer, jobs[0], Bytes::new());
    let second = scene.keep(&mut peer, jobs[1], Bytes::new());
    // The second is settled before the first.
    scene.settle(&second, true);
    scene.cluster.sealed();
    assert_eq!(peer.settled(), [], "the first is still open");
    scene.settle(&first, true);
    for _ in 0..2 {
        scene.cluster.syncing();
        scene.cluster.synced();
    }
    assert_eq!(peer.settled(), [], "a loss of power could still take it back");
    scene.cluster.syncing();
    scene.cluster.synced();
    assert_eq!(peer.settled(), [Settled { upto: 2, rejected: vec![] }]);
}

#[test]
fn who_brings_what_it_was_not_given_is_sent_away() {
    let spoiled: [fn(&mut wire::Outcome); 4] = [
        |outcome| outcome.number = 5,
        |outcome| outcome.what = None,
        |outcome| outcome.what = Some(wire::outcome::What::Resolved(wire::Resolved::default())),
        |outcome| {
            let links = wire::Links { ends: vec![9], ..wire::Links::default() };
            let kept = Kept { status: 200, links: Some(links), ..Kept::default() };
            outcome.what = Some(wire::outcome::What::Kept(kept));
        },
    ];
    for spoil in spoiled {
        let mut scene = Scene::new();
        let mut peer = scene.join(1, 1, &[]);
        let job = scene.page("http://a.example/");
        let mut outcome = kept(1, job, Bytes::new());
        spoil(&mut outcome);
        assert!(scene.bring(&mut peer, outcome).is_empty());
        assert!(matches!(peer.all().last(), Some(Err(_))), "it hears why");
        assert!(scene.cluster.trouble().unwrap().contains("number 1 was sent away"));
        let after = scene.bring(&mut peer, kept(1, job, Bytes::new()));
        assert!(after.is_empty(), "nobody listens to it any more");
        let mut other = scene.join(2, 1, &[]);
        scene.cluster.members[0].seen = Instant::now().checked_sub(GONE).unwrap();
        scene.cluster.look_for_the_gone(Instant::now());
        scene.cluster.pump();
        assert_eq!(other.jobs().len(), 1, "and its job is done by another");
    }
}

#[test]
fn a_job_of_another_downloader_is_none_of_its_business() {
    let mut scene = Scene::new();
    let mut one = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    let mut two = scene.join(2, 1, &[]);
    assert!(scene.keep(&mut two, job, Bytes::new()).is_empty());
    assert!(matches!(two.all().last(), Some(Err(_))));
    assert_eq!(scene.keep(&mut one, job, Bytes::new()).len(), 1, "it is still the first one's");
}

#[test]
fn jobs_of_a_restarted_process_are_given_out_again_and_late_ones_are_rejected() {
    let mut scene = Scene::new();
    let mut one = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    assert_eq!(one.jobs().len(), 1);
    // It was killed, and knows nothing of the job any more.
    let mut again = scene.join(1, 2, &[]);
    scene.cluster.pump();
    assert_eq!(again.jobs().len(), 1, "it is given out once more");
    assert!(scene.keep(&mut one, job, Bytes::new()).is_empty(), "the old stream is nobody's");
    assert_eq!(scene.keep(&mut again, job, Bytes::new()).len(), 1);
}

#[test]
fn whoever_is_first_counts_though_the_job_was_given_to_another_meanwhile() {
    let mut scene = Scene::new();
    let mut one = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    assert_eq!(one.jobs().len(), 1);
    let mut two = scene.join(2, 1, &[]);
    scene.cluster.members[0].seen = Instant::now().checked_sub(GONE).unwrap();
    scene.cluster.look_for_the_gone(Instant::now());
    scene.cluster.pump();
    assert_eq!(two.jobs().len(), 1);
    // The first was only slow.
    let mut one = scene.join(1, 1, &[job]);
    assert_eq!(one.left_out(), [job], "it need not go on");
    let worked = scene.keep(&mut one, job, Bytes::new());
    assert_eq!(worked.len(), 1, "but if it has done it, that counts");
    assert_eq!(two.left_out(), [job]);
    assert!(scene.keep(&mut two, job, Bytes::new()).is_empty());
    scene.settle(&worked, true);
    scene.cluster.sealed();
    assert_eq!(one.settled(), [Settled { upto: 1, rejected: vec![] }]);
    assert_eq!(two.settled(), [Settled { upto: 1, rejected: vec![1] }]);
}

#[test]
fn a_page_that_comes_second_is_handed_on_for_its_links_and_a_failure_is_not() {
    let mut scene = Scene::new();
    let mut one = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    let first = ticket(&one.jobs()[0]);
    let mut two = scene.join(2, 1, &[]);
    scene.cluster.members[0].seen = Instant::now().checked_sub(GONE).unwrap();
    scene.cluster.look_for_the_gone(Instant::now());
    scene.cluster.pump();
    let second = ticket(&two.jobs()[0]);
    let worked = scene.keep(&mut two, job, second.clone());
    scene.settle(&worked, true);

    let mut one = scene.join(1, 1, &[job]);
    let what = Some(wire::outcome::What::Failed(Failed::default()));
    let failed = wire::Outcome { what, ..kept(1, job, first.clone()) };
    assert!(scene.bring(&mut one, failed).is_empty(), "the page is there");
    assert!(scene.keep(&mut one, job, second).is_empty(), "another one's ticket");
    let link = "http://a.example/x";
    let (text, ends) = (link.to_owned(), vec![link.len() as u32]);
    let links = wire::Links { text, ends, kinds: vec![0].into(), ..wire::Links::default() };
    let page = Kept { status: 200, links: Some(links), ..Kept::default() };
    let what = Some(wire::outcome::What::Kept(page));
    let late = scene.bring(&mut one, wire::Outcome { what, ..kept(3, job, first) });
    let [Worked::Page(page)] = &late[..] else { panic!("it is handed on") };
    assert!(page.is_late && page.leased.number == 7);
    let Outcome::Kept { links, .. } = &page.outcome else { panic!("it is a page") };
    assert_eq!(links.iter().map(|found| found.url).collect::<Vec<_>>(), [link]);
    scene.settle(&late, false);
    scene.cluster.sealed();
    assert_eq!(one.settled(), [Settled { upto: 3, rejected: vec![1, 2, 3] }]);
    assert_eq!(two.settled(), [Settled { upto: 1, rejected: vec![] }]);
}

#[test]
fn a_scheduler_that_was_killed_knows_its_own_tickets_and_no_others() {
    let mut scene = Scene::new();
    let mut one = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    let sent = one.jobs();
    let ticket = ticket(&sent[0]);
    scene.restart();
    assert_eq!(scene.cluster.room(), Some(0), "what may still run is waited for");
    let mut one = scene.join(1, 1, &[job]);
    assert!(one.left_out().is_empty(), "it may finish what it fetches");
    let mut two = scene.join(2, 1, &[]);
    assert!(scene.keep(&mut two, job, ticket.clone()).is_empty(), "another one's ticket");
    let worked = scene.keep(&mut one, job, ticket);
    assert!(matches!(&worked[..], [Worked::Page(page)] if page.is_late && page.leased.number == 7));
    scene.cluster.arrived(Arrival::Pulse { link: one.link, pulse: Pulse::default() });
    assert!(scene.cluster.room().unwrap() > 0, "nothing of it runs any more");
    scene.settle(&worked, false);
    scene.cluster.sealed();
    assert_eq!(one.settled(), [Settled { upto: 1, rejected: vec![1] }]);
    assert_eq!(two.settled(), [Settled { upto: 1, rejected: vec![1] }]);
}

#[test]
fn what_was_settled_before_a_kill_is_told_again_with_the_same_verdict() {
    let mut scene = Scene::new();
    let mut one = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    let worked = scene.keep(&mut one, job, Bytes::new());
    scene.settle(&worked, true);
    assert!(scene.keep(&mut one, job, Bytes::new()).is_empty());
    scene.restart();
    let mut one = scene.join(1, 1, &[]);
    one.outcomes = 1;
    assert!(scene.keep(&mut one, job, Bytes::new()).is_empty(), "it is known already");
    scene.cluster.sealed();
    assert_eq!(one.settled(), [Settled { upto: 2, rejected: vec![2] }]);
    assert!(!scene.cluster.is_settled(), "it has not said that it has stored them");
    let pulse = Pulse { stored: 2, ..Pulse::default() };
    scene.cluster.arrived(Arrival::Pulse { link: one.link, pulse });
    assert_eq!(scene.cluster.reports()[0].unconfirmed, 0);
}

#[test]
fn the_folder_of_another_crawl_is_not_let_in() {
    let mut scene = Scene::new();
    let (orders, mut received) = mpsc::channel(4);
    let hello = Hello {
        id: Bytes::from(vec![1; 16]),
        crawl: Bytes::from(vec![9; 16]),
        slots: 1,
        ..Hello::default()
    };
    let peer = SocketAddr::from(([127, 0, 0, 1], 1));
    scene.cluster.arrived(Arrival::Joined { link: 1, hello, orders, peer });
    assert!(received.try_recv().unwrap().is_err());
    assert!(scene.cluster.trouble().unwrap().contains("another crawl"));
    assert!(scene.cluster.members.is_empty());
}

#[test]
fn a_failure_is_an_outcome_like_any_other() {
    let mut scene = Scene::new();
    let mut peer = scene.join(1, 1, &[]);
    let job = scene.page("http://a.example/");
    let failed = Failed { kind: Kind::Resting as i32, why: "busy".to_owned(), ..Failed::default() };
    let what = Some(wire::outcome::What::Failed(failed));
    let outcome = wire::Outcome { number: 1, job, what, ..wire::Outcome::default() };
    let worked = scene.bring(&mut peer, outcome);
    let resting =
        |page: &weir_crawl::PageWorked| matches!(page.outcome, Outcome::HostResting { .. });
    assert!(matches!(&worked[..], [Worked::Page(page)] if resting(page)));
}

/// Two share the limit, and one of them is gone. What the other has then, at once.
fn after_it_is_gone(peer: [u8; 4], machine: &[u8], hung_up: bool) -> f64 {
    let mut scene = Scene::of(Some(LIMIT));
    let peer = SocketAddr::from((peer, 1));
    let one = &mut scene.join_from(peer, machine, 1, 1, &[]);
    let two = &mut scene.join(2, 1, &[]);
    scene.share_out(&mut [one, two]);
    assert_eq!(scene.shares(), [500.0, 500.0]);
    scene.cluster.arrived(Arrival::Gone { link: one.link, why: None, hung_up });
    scene.share_out(&mut [two]);
    scene.shares()[1]
}

#[test]
fn the_share_of_one_on_this_machine_is_free_at_once_when_it_hangs_up() {
    let (here, there) = ([127, 0, 0, 1], [10, 0, 0, 1]);
    let this = machine::machine();
    assert!(!this.is_empty(), "Linux tells");
    assert_eq!(after_it_is_gone(here, &this, true), LIMIT);
    assert_eq!(after_it_is_gone(here, &this, false), 500.0, "we have ended it, and it may read on");
    assert_eq!(after_it_is_gone(here, b"another", true), 500.0, "it is at the end of a tunnel");
    assert_eq!(after_it_is_gone(here, b"", true), 500.0);
    assert_eq!(after_it_is_gone(there, &this, true), 500.0);
}

#[test]
fn one_that_hangs_up_and_comes_back_has_its_share_and_its_jobs_again() {
    let mut scene = Scene::of(Some(LIMIT));
    let here = SocketAddr::from(([127, 0, 0, 1], 1));
    let this = machine::machine();
    let one = &mut scene.join_from(here, &this, 1, 1, &[]);
    let two = &mut scene.join_from(here, &this, 2, 1, &[]);
    scene.share_out(&mut [one, two]);
    for back in 0..3 {
        scene.cluster.arrived(Arrival::Gone { link: one.link, why: None, hung_up: true });
        let before = one.version;
        *one = scene.join_from(here, &this, 1, 1, &[]);
        scene.share_out(&mut [one, two]);
        assert_eq!(scene.shares(), [500.0, 500.0], "{back}");
        assert!(one.version > before, "an older grant would not be taken");
    }
}
