use super::{ServerGrant, ServerKey, ServerWord};

/// What a crawl has of one server, and what it has to say of it. No clock; times come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLease {
    server: ServerKey,
    version: u64,
    slots: u32,
    is_contested: bool,
    /// It was lowered, perhaps before it was taken, or told something that may have crossed a word of ours:
    /// we say when we keep to it.
    owes: bool,
    /// What was said last.
    wants: bool,
    /// The end of the last request since something was given back.
    ended_ms: Option<u64>,
    /// Nothing was done with it since.
    quiet_ms: u64,
}

impl ServerLease {
    /// Nothing is held at first.
    pub fn new(server: ServerKey) -> ServerLease {
        ServerLease {
            server,
            version: 0,
            slots: 0,
            is_contested: false,
            owes: false,
            wants: false,
            ended_ms: None,
            quiet_ms: 0,
        }
    }

    /// Requests at a time that may be under way.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// It is held, and others want it too.
    pub fn is_contested(&self) -> bool {
        self.is_contested && self.slots > 0
    }

    /// It was asked for, and not given yet.
    pub fn is_awaited(&self) -> bool {
        self.wants
    }

    /// Whoever leases has nothing to remember of it.
    pub fn is_unknown(&self) -> bool {
        self.slots == 0 && !self.wants && !self.owes
    }

    /// False for one that is older than what is known.
    pub fn granted(&mut self, grant: &ServerGrant, now_ms: u64) -> bool {
        if grant.version <= self.version {
            return false;
        }
        if grant.slots > 0 {
            self.wants = false;
            self.quiet_ms = now_ms;
        }
        // A higher one that was never taken may have come before it, if others want the server.
        self.owes = grant.contested || grant.slots <= self.slots;
        self.version = grant.version;
        self.slots = grant.slots;
        self.is_contested = grant.contested;
        true
    }

    /// A request has ended. True if there may be something to say now.
    pub fn ended(&mut self, now_ms: u64) -> bool {
        self.ended_ms = Some(now_ms);
        self.quiet_ms = now_ms;
        self.owes || self.slots == 0
    }

    /// How long nothing was done with it, if it is held.
    pub fn idle_ms(&self, now_ms: u64) -> Option<u64> {
        (self.slots > 0).then(|| now_ms.saturating_sub(self.quiet_ms))
    }

    /// Nothing is under way, and nothing will be.
    pub fn give_back(&mut self) {
        self.slots = 0;
        self.owes = true;
    }

    /// What is to be said now, if anything: nothing as long as more is under way than there should be.
    pub fn word(&mut self, under_way: usize, waits: bool, now_ms: u64) -> Option<ServerWord> {
        let wants = waits && self.slots == 0;
        if under_way > self.slots as usize || !self.owes && wants == self.wants {
            return None;
        }
        (self.owes, self.wants) = (false, wants);
        let ServerLease { server, version, slots, ended_ms, .. } = *self;
        self.ended_ms = ended_ms.filter(|_| slots > 0);
        let rested_ms = ended_ms.map(|ended_ms| now_ms.saturating_sub(ended_ms));
        Some(ServerWord { server, version, slots, wants, rested_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::Servers;

    fn lease() -> ServerLease {
        ServerLease::new(([192, 0, 2, 1].into(), 0))
    }

    fn grant(version: u64, slots: u32) -> ServerGrant {
        ServerGrant {
            server: ([192, 0, 2, 1].into(), 0),
            version,
            slots,
            wait_ms: 0,
            contested: false,
        }
    }

    /// Version, slots, wants.
    fn said(word: Option<ServerWord>) -> Option<(u64, u32, bool)> {
        word.map(|word| (word.version, word.slots, word.wants))
    }

    #[test]
    fn it_is_asked_for_once_and_a_grant_needs_no_answer() {
        let mut lease = lease();
        assert_eq!(lease.word(0, false, 0), None);
        assert_eq!(said(lease.word(0, true, 0)), Some((0, 0, true)));
        assert_eq!(lease.word(0, true, 0), None);
        assert!(lease.granted(&grant(3, 2), 0));
        assert_eq!(lease.word(0, true, 0), None);
        assert!(!lease.granted(&grant(2, 9), 0), "it is old");
        assert_eq!(lease.slots(), 2);
    }

    #[test]
    fn what_is_recalled_is_given_back_when_the_last_request_has_ended() {
        let mut lease = lease();
        lease.granted(&grant(1, 2), 0);
        lease.granted(&grant(2, 0), 0);
        assert_eq!(lease.word(2, true, 0), None);
        assert!(lease.ended(70));
        assert_eq!(lease.word(1, true, 70), None);
        let word = lease.word(0, true, 100).unwrap();
        assert_eq!((said(Some(word)), word.rested_ms), (Some((2, 0, true)), Some(30)));
        assert_eq!(lease.word(0, true, 100), None);
    }

    #[test]
    fn a_recall_that_crosses_a_giving_back_is_answered_all_the_same() {
        let mut lease = lease();
        lease.granted(&grant(1, 1), 0);
        lease.give_back();
        assert_eq!(said(lease.word(0, false, 0)), Some((1, 0, false)));
        lease.granted(&grant(2, 0), 0);
        assert_eq!(said(lease.word(0, false, 0)), Some((2, 0, false)));
    }

    #[test]
    fn what_was_lowered_before_it_was_taken_is_answered() {
        let mut lease = lease();
        lease.word(0, true, 0);
        let servers = Servers::default();
        servers.grant([grant(1, 4), ServerGrant { contested: true, ..grant(2, 2) }]);
        for grant in servers.take_grants() {
            lease.granted(&grant, 0);
        }
        assert_eq!(said(lease.word(0, true, 0)), Some((2, 2, false)), "all four count until then");
    }

    #[test]
    fn what_was_not_used_leaves_the_server_as_rested_as_it_was() {
        let mut lease = lease();
        lease.granted(&grant(1, 1), 0);
        lease.ended(50);
        lease.give_back();
        assert_eq!(lease.word(0, false, 60).unwrap().rested_ms, Some(10));
        lease.granted(&grant(2, 1), 100);
        assert_eq!(lease.idle_ms(400), Some(300));
        lease.give_back();
        assert_eq!(lease.word(0, false, 500).unwrap().rested_ms, None);
    }
}
