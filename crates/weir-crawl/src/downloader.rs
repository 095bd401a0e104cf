//! The working half on this machine: one or more threads, each with a [`Worker`] of its own. All
//! URLs of a host go to the same thread, where its connections are.

use std::rc::Rc;

use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local};
use weir_fetch::SetupError;
use weir_frontier::HostId;
use weir_store::StoreConfig;

use crate::Config;
use crate::crawl::CrawlError;
use crate::hands::{Hands, Start};
use crate::work::{Job, Worked, Worker};

/// Hands on this machine.
pub fn here(start: Start<'_>) -> Result<Box<dyn Hands>, CrawlError> {
    Ok(Box::new(Downloader::start(start.config, start.store, start.results)?))
}

struct Downloader {
    lanes: Vec<Lane>,
}

enum Lane {
    /// On the thread of the crawl itself, which saves waking another one twice for each page.
    Here {
        worker: Rc<Worker>,
        results: mpsc::Sender<Worked>,
    },
    Thread(mpsc::Sender<Job>),
}

impl Downloader {
    /// Must be called inside a `LocalSet`, as must be what starts jobs.
    fn start(
        config: &Config,
        store: &StoreConfig,
        results: mpsc::Sender<Worked>,
    ) -> Result<Downloader, SetupError> {
        if config.threads == 1 {
            let worker = Rc::new(Worker::new(config, store)?);
            return Ok(Downloader { lanes: vec![Lane::Here { worker, results }] });
        }
        let mut lanes = Vec::new();
        for _ in 0..config.threads {
            // Dispatch has no more than `concurrency` under way, so this never fills.
            let (lane, jobs) = mpsc::channel(config.concurrency.max(1));
            lanes.push(Lane::Thread(lane));
            Worker::new(config, store)?;
            start_thread(config.clone(), store.clone(), jobs, results.clone());
        }
        Ok(Downloader { lanes })
    }
}

impl Hands for Downloader {
    /// To the lane of its host.
    fn start_job(&mut self, host: HostId, job: Job) -> bool {
        match &self.lanes[host.0 as usize % self.lanes.len()] {
            Lane::Here { worker, results } => {
                spawn_local(Box::pin(carry_out(worker.clone(), job, results.clone())));
                true
            }
            Lane::Thread(lane) => lane.try_send(job).is_ok(),
        }
    }
}

fn start_thread(
    config: Config,
    store: StoreConfig,
    jobs: mpsc::Receiver<Job>,
    results: mpsc::Sender<Worked>,
) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("the first runtime of this process was built the same way");
        let worker = Worker::new(&config, &store).expect("the same settings were tried before");
        LocalSet::new().block_on(&runtime, run(Rc::new(worker), jobs, results));
    });
}

async fn run(worker: Rc<Worker>, mut jobs: mpsc::Receiver<Job>, results: mpsc::Sender<Worked>) {
    while let Some(job) = jobs.recv().await {
        spawn_local(Box::pin(carry_out(worker.clone(), job, results.clone())));
    }
}

/// It is boxed by who spawns it, since a task is moved more than once and this is large.
async fn carry_out(worker: Rc<Worker>, job: Job, results: mpsc::Sender<Worked>) {
    let worked = worker.work(job).await;
    worker.handed_over(&worked);
    // The crawl has ended and waits for nothing more; the lease goes back by itself.
    if results.send(worked).await.is_err() {}
}
