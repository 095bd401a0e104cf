/// What a downloader holds of one purse: the downloader's half of the promise.
///
/// All times are on the downloader's own clock, which must go on while the machine sleeps. The
/// downloader stamps each pulse with it, the first on a connection included; the scheduler sends
/// back the last stamp it has, and `until_ms` is that stamp and `LIFETIME_MS`.
#[derive(Debug, Default)]
pub struct Held {
    version: u64,
    rate: f64,
    until_ms: u64,
    ran_out: bool,
}

impl Held {
    /// A message of the scheduler with a grant in it.
    pub fn told(&mut self, version: u64, rate: f64, until_ms: u64, now_ms: u64) {
        self.heard(until_ms, now_ms);
        if version > self.version {
            // What was too long on its way is not kept alive by what was heard since.
            (self.version, self.rate, self.ran_out) = (version, rate, now_ms >= until_ms);
        }
    }

    /// A message of the scheduler without one for this purse. A rate that has run out does not come
    /// back by it, since the scheduler may have given it to another meanwhile.
    pub fn heard(&mut self, until_ms: u64, now_ms: u64) {
        self.ran_out = self.ran_out(now_ms);
        self.until_ms = self.until_ms.max(until_ms);
    }

    /// It is not used any more, as if its time were over.
    pub fn give_back(&mut self) {
        self.ran_out = true;
    }

    /// Bytes a second that may be received now.
    pub fn rate(&self, now_ms: u64) -> f64 {
        if self.ran_out || now_ms >= self.until_ms { 0.0 } else { self.rate }
    }

    /// For the next pulse: the scheduler must tell it anew, which `Purse::join` does.
    pub fn ran_out(&self, now_ms: u64) -> bool {
        self.version > 0 && (self.ran_out || now_ms >= self.until_ms)
    }

    /// When the rate runs out, unless something is heard: the moment to set the shaper to zero.
    pub fn until_ms(&self) -> u64 {
        self.until_ms
    }

    /// For the next pulse.
    pub fn in_force(&self) -> u64 {
        self.version
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_grant_that_comes_late_is_not_put_into_force() {
        let mut held = Held::default();
        held.told(7, 70.0, 3000, 0);
        held.told(6, 600.0, 3000, 10);
        assert_eq!((held.in_force(), held.rate(20)), (7, 70.0));
    }

    #[test]
    fn a_rate_runs_out_at_the_time_it_was_given_for_however_late_it_came() {
        let mut held = Held::default();
        held.told(1, 10.0, 3000, 2999);
        assert_eq!((held.rate(2999), held.rate(3000)), (10.0, 0.0));
        held.told(2, 20.0, 3000, 9000);
        assert_eq!(held.rate(9000), 0.0);
    }

    #[test]
    fn a_grant_that_was_too_long_on_its_way_is_not_kept_alive_by_a_later_message() {
        let mut held = Held::default();
        held.told(1, 10.0, 3000, 0);
        held.heard(12_000, 9000);
        held.told(2, 20.0, 3200, 9100);
        assert_eq!((held.rate(9100), held.ran_out(9100)), (0.0, true));
    }

    #[test]
    fn a_rate_that_has_run_out_does_not_come_back_without_a_new_grant() {
        let mut held = Held::default();
        held.told(1, 10.0, 3000, 0);
        held.heard(6000, 2000);
        assert_eq!(held.rate(5999), 10.0);
        held.heard(9500, 6500);
        assert_eq!((held.rate(6500), held.ran_out(6500)), (0.0, true));
        held.told(2, 5.0, 9600, 6600);
        assert_eq!((held.rate(6600), held.ran_out(6600)), (5.0, false));
    }

    #[test]
    fn what_was_given_back_is_not_used_until_it_is_granted_anew() {
        let mut held = Held::default();
        held.give_back();
        assert!(!held.ran_out(0), "there was nothing to give back");
        held.told(1, 10.0, 3000, 0);
        held.give_back();
        assert_eq!((held.rate(10), held.ran_out(10)), (0.0, true));
        held.heard(4000, 1000);
        held.told(1, 10.0, 4000, 1000);
        assert_eq!(held.rate(1000), 0.0, "not by a word without a grant, nor by the same one");
        held.told(2, 7.0, 4200, 1200);
        assert_eq!((held.rate(1200), held.ran_out(1200)), (7.0, false));
    }
}
