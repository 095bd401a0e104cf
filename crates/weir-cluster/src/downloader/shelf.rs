//! The spool on a thread of its own: a disk may take its time, and the network must not wait for it.

use bytes::Bytes;
use prost::Message;
use tokio::sync::mpsc;
use weir_spool::{Pending, Spool, SpoolError};
use weir_store::{Packed, StoreConfig, Totals};

use crate::wire::Outcome;

/// What happens on the shelf.
pub enum Shelved {
    /// These are on the disk for good, and may be sent; they are numbered.
    Durable(Vec<Outcome>),
    /// More outcomes are in the files, and no crash takes them out again.
    Stored(Kept),
    /// All that is settled is in files that others can read.
    Finished(Kept),
    Failed(SpoolError),
}

/// What is in the files for good.
#[derive(Clone, Default)]
pub struct Kept {
    /// Outcomes up to this one.
    pub upto: u64,
    /// The store's mark; empty before the first.
    pub mark: Vec<u8>,
    pub totals: Totals,
}

impl Kept {
    fn of(spool: &Spool) -> Kept {
        Kept { upto: spool.applied(), mark: spool.mark().to_owned(), totals: spool.totals() }
    }
}

enum Task {
    Put(Box<Outcome>, Option<Box<Packed>>),
    Settled { upto: u64, rejected: Vec<u64> },
    Finish,
}

/// What is on its way to the disk, each with its page: fetching waits if that is too much.
const WAITING: usize = 64;

#[derive(Clone)]
pub struct Shelf {
    tasks: mpsc::Sender<Task>,
}

/// Room for one outcome.
pub struct Place<'a>(mpsc::Permit<'a, Task>);

impl Place<'_> {
    /// From here on it is settled some time, if this process does not end.
    pub fn put(self, outcome: Outcome, packed: Option<Packed>) {
        self.0.send(Task::Put(Box::new(outcome), packed.map(Box::new)));
    }
}

/// What an earlier process has left.
pub struct Left {
    pub pending: Vec<Outcome>,
    pub kept: Kept,
    pub last: u64,
}

impl Shelf {
    pub fn open(
        config: StoreConfig,
        happened: mpsc::Sender<Shelved>,
    ) -> Result<(Shelf, Left), SpoolError> {
        let (spool, pending) = Spool::open(config)?;
        let read = |pending: Pending| {
            let outcome = Outcome::decode(Bytes::from(pending.outcome)).unwrap_or_default();
            // One that a newer version has written is sent as one that means nothing.
            Outcome { number: pending.seq, ..outcome }
        };
        let pending = pending.into_iter().map(read).collect();
        let left = Left { pending, kept: Kept::of(&spool), last: spool.last() };
        let (tasks, waiting) = mpsc::channel(WAITING);
        std::thread::spawn(move || run(spool, waiting, &happened));
        Ok((Shelf { tasks }, left))
    }

    /// Waits for a place on it; `None` if the shelf is gone, which has said why.
    pub async fn place(&self) -> Option<Place<'_>> {
        self.tasks.reserve().await.ok().map(Place)
    }

    /// False if it has to be said again.
    pub fn settled(&self, upto: u64, rejected: Vec<u64>) -> bool {
        self.tasks.try_send(Task::Settled { upto, rejected }).is_ok()
    }

    pub fn finish(&self) -> bool {
        self.tasks.try_send(Task::Finish).is_ok()
    }

    /// One with a single place, which is taken, and nobody who makes room. Goes on until what comes with it is dropped.
    #[cfg(test)]
    pub fn full() -> (Shelf, impl Sized) {
        let (tasks, waiting) = mpsc::channel(1);
        let shelf = Shelf { tasks };
        assert!(shelf.finish(), "it is empty");
        (shelf, waiting)
    }
}

fn run(mut spool: Spool, mut tasks: mpsc::Receiver<Task>, happened: &mpsc::Sender<Shelved>) {
    while let Some(first) = tasks.blocking_recv() {
        // Whatever came meanwhile is made durable by the same sync.
        let mut batch = vec![first];
        while batch.len() < WAITING
            && let Ok(task) = tasks.try_recv()
        {
            batch.push(task);
        }
        let done = work(&mut spool, batch, happened);
        if let Err(why) = done {
            // The loop ends with it; if it has ended already, nobody is left to be told.
            let _ = happened.blocking_send(Shelved::Failed(why));
            return;
        }
    }
}

fn work(
    spool: &mut Spool,
    batch: Vec<Task>,
    happened: &mpsc::Sender<Shelved>,
) -> Result<(), SpoolError> {
    let mut put = Vec::new();
    let mut others = Vec::new();
    for task in batch {
        match task {
            Task::Put(outcome, packed) => {
                let outcome = Outcome { number: spool.last() + 1, ..*outcome };
                spool.put(&outcome.encode_to_vec(), packed.as_deref())?;
                put.push(outcome);
            }
            other => others.push(other),
        }
    }
    // If the loop has ended, the next process finds all of it.
    if !put.is_empty() {
        spool.flush()?;
        spool.syncer().run()?;
        let _ = happened.blocking_send(Shelved::Durable(put));
    }
    for task in others {
        match task {
            Task::Settled { upto, rejected } => {
                spool.settled(upto, &rejected)?;
                let _ = happened.blocking_send(Shelved::Stored(Kept::of(spool)));
            }
            Task::Finish => {
                spool.finish()?;
                let _ = happened.blocking_send(Shelved::Finished(Kept::of(spool)));
            }
            Task::Put(..) => {}
        }
    }
    Ok(())
}
