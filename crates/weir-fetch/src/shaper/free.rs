//! Where the cap is far, exchanges are not entered in the books: they count what they read, and
//! that is all. The books hear of the sum every few milliseconds.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::tree::Room;

/// Several threads count here; each number is right by itself, which is all that is asked of them.
#[derive(Default)]
pub struct Free {
    /// Received in free exchanges, since the beginning.
    came: AtomicU64,
    /// Of these, what the books know of.
    told: AtomicU64,
    /// Free until so much has come.
    until: AtomicU64,
    exchanges: AtomicUsize,
    most_exchanges: AtomicUsize,
}

/// What an exchange may bring before anybody sees it come.
const UNSEEN: f64 = 65_536.0;

impl Free {
    /// Until this is called again.
    pub fn open(&self, room: Room) {
        self.until.store(self.came.load(Relaxed).saturating_add(room.bytes as u64), Relaxed);
        self.most_exchanges.store((room.under_way / UNSEEN) as usize, Relaxed);
    }

    pub fn close(&self) {
        self.open(Room::default());
    }

    /// Whether an exchange may start; who was told so has to `end`.
    pub fn start(&self) -> bool {
        if self.left() == 0 || self.exchanges.load(Relaxed) >= self.most_exchanges.load(Relaxed) {
            return false;
        }
        self.exchanges.fetch_add(1, Relaxed);
        true
    }

    pub fn end(&self) {
        self.exchanges.fetch_sub(1, Relaxed);
    }

    /// What may be read.
    pub fn left(&self) -> u64 {
        self.until.load(Relaxed).saturating_sub(self.came.load(Relaxed))
    }

    /// In bytes on the wire.
    pub fn came(&self, bytes: usize) {
        self.came.fetch_add(bytes as u64, Relaxed);
    }

    /// What came since this was last asked.
    pub fn tell(&self) -> f64 {
        let came = self.came.load(Relaxed);
        (came - self.told.swap(came, Relaxed)) as f64
    }

    /// The same, without taking note.
    pub fn untold(&self) -> f64 {
        // The one may be newer than the other.
        let told = self.told.load(Relaxed);
        self.came.load(Relaxed).saturating_sub(told) as f64
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use tokio::net::{TcpListener, TcpStream};

    use super::super::{Claim, Connects, Part, Shaper};
    use super::*;

    #[test]
    fn what_is_free_ends_with_the_bytes_and_with_the_number_under_way() {
        let free = Free::default();
        assert!(!free.start(), "nothing is free before somebody has looked");
        free.open(Room { bytes: 10_000.0, under_way: 2.5 * UNSEEN });
        assert!(free.start() && free.start() && !free.start());
        free.end();
        free.came(9_999);
        assert!(free.start());
        free.came(9_999);
        assert_eq!((free.left(), free.untold()), (0, 19_998.0));
        free.end();
        assert!(!free.start());
        assert_eq!((free.tell(), free.tell()), (19_998.0, 0.0));
        free.open(Room { bytes: 1.0, under_way: f64::INFINITY });
        assert!(free.start());
        free.close();
        assert!(!free.start());
    }

    /// With a true socket, for the books ask the kernel about it.
    #[tokio::test]
    async fn a_free_exchange_enters_the_books_when_the_cap_comes_near() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let shaper = Shaper::new(100e6);
        let share = shaper.add_share(Part::default());
        let claim = Claim { share, speed: None };
        shaper.look();
        let flow = shaper.open(share, socket.as_raw_fd());
        let permit = shaper.start(claim, || panic!("nobody asks")).await;
        permit.carried_by(&flow, false);
        assert!(flow.credit().unwrap() > 1_000_000);
        flow.was_read(50_000);
        assert!(shaper.rates().bytes > 50_000.0, "what comes freely is measured at once");

        shaper.set_cap(200_000.0);
        shaper.look();
        let credit = flow.credit();
        assert!(credit.is_none_or(|credit| credit < 20_000), "{credit:?}");
        let (flows, active) = shaper.with(|tree, _| (tree.flows.len(), tree.active()));
        assert_eq!((flows, active), (1, 1));
        let again = shaper.start(claim, || Connects::No);
        assert!(tokio::time::timeout(std::time::Duration::ZERO, again).await.is_err());
        flow.ended();
        drop(permit);
        assert_eq!(shaper.with(|tree, _| tree.active()), 0);
        let bytes = shaper.rates().bytes;
        assert!((50_000.0..60_000.0).contains(&bytes), "counted once: {bytes}");
        flow.close();
    }

    /// As with HTTP/2: while the cap is far, and when it has come near.
    #[tokio::test]
    async fn exchanges_that_share_a_connection_end_only_themselves() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let shaper = Shaper::new(100e6);
        let share = shaper.add_share(Part::default());
        let claim = Claim { share, speed: None };
        shaper.look();
        let flow = shaper.open(share, socket.as_raw_fd());
        let active = || shaper.with(|tree, _| tree.active());
        let first = shaper.start(claim, || Connects::No).await;
        first.carried_by(&flow, true);
        let second = shaper.start(claim, || Connects::No).await;
        second.carried_by(&flow, true);
        assert_eq!(active(), 2);
        flow.ended();
        drop(first);
        assert_eq!(active(), 1, "the second is still under way");
        shaper.set_cap(200_000.0);
        shaper.look();
        flow.was_read(50_000);
        assert!(flow.credit().is_none_or(|credit| credit < 20_000), "{:?}", flow.credit());
        flow.ended();
        drop(second);
        assert_eq!(active(), 0);
        flow.close();
    }
}
