//! What fetches: a worker for the settings of the moment, and the jobs that it has.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_local};
use weir_crawl::{Config, HandedOn, Job, Worker};

use super::shelf::Shelf;
use crate::ClusterError;
use crate::convert::{Taken, to_outcome};

pub struct Crew {
    worker: Option<Rc<Worker>>,
    handed: HandedOn,
    limits: Option<(bool, bool)>,
    slots: usize,
    queue: VecDeque<Taken>,
    running: HashMap<u64, JoinHandle<()>>,
    /// Fetched, and on their way to the disk.
    shelved: HashSet<u64>,
    ended: mpsc::Sender<u64>,
}

impl Crew {
    /// `ended` hears of each job that has left its slot.
    pub fn new(slots: usize, ended: mpsc::Sender<u64>) -> Crew {
        Crew {
            worker: None,
            handed: HandedOn::default(),
            limits: None,
            slots,
            queue: VecDeque::new(),
            running: HashMap::new(),
            shelved: HashSet::new(),
            ended,
        }
    }

    /// From now on by these settings, as `config` has them.
    /// `limits` tell that `config` has another shaper.
    pub fn equip(
        &mut self,
        handed: &HandedOn,
        config: &Config,
        limits: Option<(bool, bool)>,
    ) -> Result<(), ClusterError> {
        if self.worker.is_some() && self.handed == *handed && self.limits == limits {
            return Ok(());
        }
        let worker = Worker::new(config, &config.store_config())
            .map_err(|why| ClusterError::Crawl(why.into()))?;
        self.worker = Some(Rc::new(worker));
        self.handed = handed.clone();
        self.limits = limits;
        Ok(())
    }

    pub fn add(&mut self, taken: Taken) {
        self.queue.push_back(taken);
    }

    /// Fills the slots that are free.
    pub fn start(&mut self, shelf: &Shelf) {
        let Some(worker) = &self.worker else { return };
        while self.running.len() < self.slots
            && let Some(taken) = self.queue.pop_front()
        {
            let Taken { number, ticket, job } = taken;
            let (worker, shelf, ended) = (worker.clone(), shelf.clone(), self.ended.clone());
            let task = spawn_local(async move {
                work(&worker, &shelf, number, ticket, job).await;
                // If the downloader has ended, nobody is left to be told.
                let _ = ended.send(number).await;
            });
            self.running.insert(number, task);
        }
    }

    pub fn ended(&mut self, number: u64) {
        if self.running.remove(&number).is_some() {
            self.shelved.insert(number);
        }
    }

    /// The word that it has left its slot may still be on its way.
    pub fn durable(&mut self, number: u64) {
        self.running.remove(&number);
        self.shelved.remove(&number);
    }

    /// These are somebody else's now; what is being fetched of them is fetched in vain.
    pub fn leave(&mut self, jobs: &[u64]) {
        self.queue.retain(|taken| !jobs.contains(&taken.number));
        for job in jobs {
            if let Some(task) = self.running.remove(job) {
                task.abort();
            }
        }
    }

    pub fn leave_unbegun(&mut self) {
        self.queue.clear();
    }

    pub fn give_up(&mut self) {
        self.queue.clear();
        self.running.drain().for_each(|(_, task)| task.abort());
    }

    pub fn fetching(&self) -> usize {
        self.running.len()
    }

    /// Being fetched, or fetched and not on the disk yet.
    pub fn under_way(&self) -> usize {
        self.running.len() + self.shelved.len()
    }

    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    pub fn held(&self) -> impl Iterator<Item = u64> {
        let queued = self.queue.iter().map(|taken| taken.number);
        queued.chain(self.running.keys().copied()).chain(self.shelved.iter().copied())
    }
}

/// Until there is a place on the shelf this may be ended at any time, and what was read is nobody's. Nothing is waited for after that.
async fn work(worker: &Worker, shelf: &Shelf, number: u64, ticket: Bytes, job: Job) {
    let worked = worker.work(job).await;
    // A shelf that is gone has said so, and the downloader is about to end.
    let Some(place) = shelf.place().await else { return };
    worker.handed_over(&worked);
    let (outcome, packed) = to_outcome(number, ticket, worked);
    place.put(outcome, packed);
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use tokio::runtime::Builder;
    use tokio::task::LocalSet;
    use tokio::time::sleep;
    use url::Url;
    use weir_crawl::Worked;
    use weir_testsite::{HostSpec, Script, Spec, Web};
    use weir_types::Outcome;

    use super::*;
    use crate::convert::take_job;
    use crate::wire;

    fn equipped(crew: &mut Crew, web: &Web) -> Rc<Worker> {
        let settings = weir_crawl::Settings {
            urls: Some(web.seeds()),
            allow_private: Some(true),
            ..Default::default()
        };
        let config = Config::try_from(settings).unwrap();
        crew.equip(&HandedOn::default(), &config, None).unwrap();
        crew.worker.clone().unwrap()
    }

    fn page(number: u64, web: &Web) -> Taken {
        let url = Url::parse(&web.seeds()[0]).unwrap().join(&format!("/page/{number}")).unwrap();
        let SocketAddr::V4(address) = url.socket_addrs(|| None).unwrap()[0] else { panic!() };
        let ip = Bytes::copy_from_slice(&address.ip().octets());
        let address = wire::Address { ip, port: u32::from(address.port()) };
        let what = wire::Page { addresses: vec![address], ..wire::Page::default() };
        let what = Some(wire::job::What::Page(what));
        take_job(wire::Job { number, url: url.into(), what }, &mut |_| None).unwrap()
    }

    /// A page with two links, which was fetched and waits for a place on the shelf when `end` ends that.
    fn links_of_the_next_page(end: fn(&mut Crew)) -> usize {
        let host = HostSpec::scripted(|_| Some(Script::html("<a href=/1></a><a href=/2></a>")));
        let web = Web::start(Spec::new(vec![host.watched()])).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let mut crew = Crew::new(2, mpsc::channel(1).0);
            let worker = equipped(&mut crew, &web);
            let (shelf, _full) = Shelf::full();
            crew.add(page(1, &web));
            crew.start(&shelf);
            while !web.visits(0).iter().any(|visit| visit.ended.is_some()) {
                sleep(Duration::from_millis(5)).await;
            }
            // Reading it takes far less.
            sleep(Duration::from_millis(200)).await;
            assert_eq!(crew.fetching(), 1);
            end(&mut crew);
            let Worked::Page(next) = worker.work(page(2, &web).job).await else { panic!() };
            let Outcome::Kept { links, .. } = next.outcome else { panic!("it is there") };
            links.len()
        })
    }

    #[test]
    fn links_of_a_page_that_was_read_in_vain_are_reported_with_the_next_one() {
        assert_eq!(links_of_the_next_page(|crew| crew.leave(&[1])), 2);
        assert_eq!(links_of_the_next_page(Crew::give_up), 2);
    }

    #[test]
    fn a_job_is_over_whichever_of_its_two_last_words_comes_first() {
        let runtime = Builder::new_current_thread().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let mut crew = Crew::new(2, mpsc::channel(1).0);
            for number in [1, 2] {
                crew.running.insert(number, spawn_local(async {}));
            }
            crew.ended(1);
            crew.durable(1);
            crew.durable(2);
            crew.ended(2);
            assert_eq!((crew.under_way(), crew.held().count()), (0, 0));
        });
    }
}
