//! The deciding half, served: a crawl whose hands are downloaders on other machines.

mod assign;
mod cluster;
pub(crate) mod intake;
mod member;
mod note;
mod rates;
mod write_off;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::spawn_local;
use weir_crawl::{
    Config, DownloaderReport, Ended, HandedOn, Hands, Helm, Job, Lost, Origin, Progress, Settings,
    Start, Stop, StoreChoice, Worked, crawl_with,
};
use weir_fetch::Shaper;
use weir_frontier::{Frontier, HostId};

use self::cluster::{Cluster, Setup};
use crate::ClusterError;
use crate::gate::{Arrival, Gate};
use crate::security::ServerSecurity;

pub use self::assign::Dispatch;

/// A scheduler that listens and has not begun.
pub struct Scheduler {
    config: Config,
    handed: HandedOn,
    dispatch: Dispatch,
    gate: Gate,
    encrypted: bool,
    /// Downloaders that never come back, by name or id: what they kept is fetched again by others.
    write_off: Vec<String>,
}

/// Checks everything, and begins to listen.
pub fn scheduler(
    settings: Settings,
    listen: SocketAddr,
    keys: Option<&Path>,
    dispatch: Dispatch,
) -> Result<Scheduler, ClusterError> {
    let security = ServerSecurity::choose(listen, keys, false)?;
    let mut config = Config::try_from(settings.clone())?;
    let handed = HandedOn::of(&settings, &config.seeds)?;
    let write_off = write_off::of(settings)?;
    // Pages are kept where they are fetched.
    config.store = StoreChoice { warc: false, parquet: false };
    let gate = Gate::open(listen, &security)?;
    let encrypted = security.is_encrypted();
    Ok(Scheduler { config, handed, dispatch, gate, encrypted, write_off })
}

impl Scheduler {
    /// Somebody looks at the crawl while it runs, and may change its course.
    pub fn with_helm(mut self, helm: Option<Helm>) -> Scheduler {
        self.config.helm = helm;
        self
    }

    pub fn address(&self) -> SocketAddr {
        self.gate.address
    }

    /// Whether what is said is hidden from the network.
    pub fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Crawls, as `weir_crawl::crawl` does.
    pub fn run(
        self,
        stop: watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Ended, ClusterError> {
        let Scheduler { config, handed, dispatch, gate, write_off, .. } = self;
        let Gate { arrivals, _runtime: runtime, .. } = gate;
        let hands = |start: Start<'_>| {
            let setup = Setup {
                handed,
                dispatch,
                book: start.config.fetch.shaper.clone(),
                has_budget: !start.config.budgets.is_empty(),
                received: start.config.fetch.received.clone(),
                resumed: start.resumed,
                frontier: start.frontier,
                write_off: &write_off,
            };
            let cluster = Cluster::new(setup)?;
            Ok(Box::new(Remote::start(cluster, arrivals, start.results)) as Box<dyn Hands>)
        };
        let ended = crawl_with(config, Box::new(hands), stop, watch);
        drop(runtime);
        Ok(ended?)
    }
}

/// The cluster, shared by the crawl's loop and the tasks that speak with the gate, all of them on one
/// thread: it is never borrowed across an await.
struct Remote {
    cluster: Rc<RefCell<Cluster>>,
    /// There may be something to send.
    pump: Rc<Notify>,
}

impl Remote {
    fn start(
        cluster: Cluster,
        arrivals: mpsc::Receiver<Arrival>,
        results: mpsc::Sender<Worked>,
    ) -> Remote {
        let cluster = Rc::new(RefCell::new(cluster));
        let pump = Rc::new(Notify::new());
        spawn_local(listen(cluster.clone(), pump.clone(), arrivals, results));
        spawn_local(send(cluster.clone(), pump.clone()));
        Remote { cluster, pump }
    }
}

/// What downloaders say goes to the crawl. If that is slow, they are not listened to.
async fn listen(
    cluster: Rc<RefCell<Cluster>>,
    pump: Rc<Notify>,
    mut arrivals: mpsc::Receiver<Arrival>,
    results: mpsc::Sender<Worked>,
) {
    while let Some(arrival) = arrivals.recv().await {
        let ready = cluster.borrow_mut().arrived(arrival);
        for worked in ready {
            if results.send(worked).await.is_err() {
                return;
            }
        }
        pump.notify_one();
    }
}

/// All that the loop has handed out in one turn goes out together.
async fn send(cluster: Rc<RefCell<Cluster>>, pump: Rc<Notify>) {
    loop {
        pump.notified().await;
        cluster.borrow_mut().pump();
    }
}

impl Hands for Remote {
    fn start_job(&mut self, host: HostId, job: Job) -> bool {
        self.pump.notify_one();
        self.cluster.borrow_mut().start_job(host, job)
    }

    fn room(&self) -> Option<usize> {
        self.cluster.borrow().room()
    }

    fn settled(&mut self, from: Origin, counts: bool) {
        self.cluster.borrow_mut().settled(from, counts);
    }

    fn note(&mut self, frontier: &mut Frontier) {
        self.cluster.borrow_mut().note(frontier);
    }

    fn syncing(&mut self) {
        self.cluster.borrow_mut().syncing();
    }

    fn synced(&mut self) {
        self.cluster.borrow_mut().synced();
    }

    fn sealed(&mut self) {
        self.cluster.borrow_mut().sealed();
    }

    fn tick(&mut self, book: Option<&Shaper>, cap: Option<f64>) {
        self.cluster.borrow_mut().tick(book, cap);
    }

    fn trouble(&mut self) -> Option<String> {
        self.cluster.borrow_mut().trouble()
    }

    fn stop_starting(&mut self) {
        self.cluster.borrow_mut().stop_starting();
    }

    fn under_way(&self) -> Option<usize> {
        self.cluster.borrow().under_way()
    }

    fn is_settled(&self) -> bool {
        self.cluster.borrow().is_settled()
    }

    fn end(&mut self, is_complete: bool) {
        self.cluster.borrow_mut().end(is_complete);
    }

    fn waits_for(&self) -> Option<String> {
        self.cluster.borrow().waits_for()
    }

    fn has_nobody(&self) -> bool {
        self.cluster.borrow().has_nobody()
    }

    fn lost(&self) -> Lost {
        self.cluster.borrow().lost()
    }

    fn reports(&self) -> Vec<DownloaderReport> {
        self.cluster.borrow().reports()
    }
}
