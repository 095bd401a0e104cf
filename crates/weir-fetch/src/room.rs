use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::incoming::Incoming;

/// Memory for the bodies that are being received. When thousands of servers answer at the same
/// moment, those that find no room wait with their bytes in the operating system, which holds the
/// sender back, and not in our memory.
///
/// A body pays at most [`MOST_PAID`], so that a few that are long and slow cannot keep the others
/// out. Those wait on disk, also once they are whole, until nobody has the ones before them any more: what is
/// done with a long body may take longer than it takes the next ones to come.
pub struct Room {
    kilobytes: Semaphore,
    /// For long bodies that are whole.
    whole: Arc<Semaphore>,
    most: u32,
    folder: Option<PathBuf>,
}

const MOST_PAID: u64 = 64 * 1024;
/// For a body that does not tell its length.
const USUAL: u64 = 32 * 1024;

impl Room {
    /// Long bodies wait in `folder` while they come.
    pub fn new(bytes: usize, folder: Option<PathBuf>) -> Room {
        let most = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).max(1);
        let whole = Arc::new(Semaphore::new(most_whole(most) as usize));
        Room { kilobytes: Semaphore::new(most as usize), whole, most, folder }
    }

    /// A body in memory, after those before it if it is long.
    pub async fn whole(&self, body: Incoming) -> io::Result<Bytes> {
        if !body.is_on_disk() {
            return body.whole();
        }
        let kilobytes = u32::try_from(body.len() / 1024 + 1).unwrap_or(u32::MAX);
        let kilobytes = kilobytes.min(most_whole(self.most));
        let paid = self.whole.clone().acquire_many_owned(kilobytes).await;
        let paid = paid.expect("the semaphore is never closed");
        Ok(Bytes::from_owner(Long { body: body.whole()?, _paid: paid }))
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Waits until there is room; it is given back when the permit is dropped.
    pub async fn take(&self, expected: Option<u64>) -> SemaphorePermit<'_> {
        let paid = expected.unwrap_or(USUAL).min(MOST_PAID) / 1024 + 1;
        let permit = self.kilobytes.acquire_many((paid as u32).min(self.most)).await;
        permit.expect("the semaphore is never closed")
    }
}

/// What is done with a long body takes memory, too.
fn most_whole(most: u32) -> u32 {
    (most / 2).max(1)
}

/// Gives its room back when the last one who has it is done with it.
struct Long {
    body: Bytes,
    _paid: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Long {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn a_body_waits_until_there_is_room_and_no_body_is_too_large_to_ever_start() {
        let room = Room::new(40 * 1024, None);
        let mut cx = Context::from_waker(Waker::noop());
        let first = {
            let mut taking = pin!(room.take(Some(30 * 1024)));
            let std::task::Poll::Ready(permit) = taking.as_mut().poll(&mut cx) else {
                panic!("there is room for the first")
            };
            permit
        };
        let mut second = pin!(room.take(Some(u64::MAX)));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        drop(first);
        assert!(second.as_mut().poll(&mut cx).is_ready());
    }

    #[test]
    fn a_long_body_waits_on_disk_until_the_one_before_it_is_gone_and_a_short_one_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let room = Room::new(1 << 20, Some(dir.path().to_owned()));
        let body = |size: usize| {
            let mut body = Incoming::new(room.folder());
            vec![b'x'; size].chunks(10_000).for_each(|part| body.push(part));
            body
        };
        let mut cx = Context::from_waker(Waker::noop());
        let mut take = |size: usize| match pin!(room.whole(body(size))).as_mut().poll(&mut cx) {
            std::task::Poll::Ready(body) => Some(body.unwrap()),
            std::task::Poll::Pending => None,
        };
        let first = take(3 << 20).expect("none is too long to ever be read");
        assert_eq!(first.len(), 3 << 20);
        assert!(take(900_000).is_none());
        assert!(take(1000).is_some(), "it takes next to nothing");
        let part = first.slice(..10);
        drop(first);
        assert!(take(900_000).is_none(), "a part of it is still there");
        drop(part);
        assert!(take(900_000).is_some());
    }
}
