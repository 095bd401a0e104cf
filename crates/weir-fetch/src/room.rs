use std::path::{Path, PathBuf};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Memory for the bodies that are being received. When thousands of servers answer at the same
/// moment, those that find no room wait with their bytes in the operating system, which holds the
/// sender back, and not in our memory.
///
/// A body pays at most [`MOST_PAID`], so that a few that are long and slow cannot keep the others
/// out; the limit on body size bounds those.
pub struct Room {
    kilobytes: Semaphore,
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
        Room { kilobytes: Semaphore::new(most as usize), most, folder }
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
}
