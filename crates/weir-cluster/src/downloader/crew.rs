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

async fn work(worker: &Worker, shelf: &Shelf, number: u64, ticket: Bytes, job: Job) {
    let worked = worker.work(job).await;
    let (outcome, packed) = to_outcome(number, ticket, worked);
    // A shelf that is gone has said so, and the downloader is about to end.
    shelf.put(outcome, packed).await;
}

#[cfg(test)]
mod tests {
    use tokio::task::LocalSet;

    use super::*;

    #[test]
    fn a_job_is_over_whichever_of_its_two_last_words_comes_first() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
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
