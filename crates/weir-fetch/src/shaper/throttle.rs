//! One rate, held: over the long run exactly, and over any second and quarter of a second with
//! hardly more.

/// Time in microseconds since the shaper was made.
pub type Micros = u64;

const SECOND: f64 = 1_000_000.0;
/// Slots of the sliding windows: 5 ms each, a second in all and one more, because the first and the
/// last may be in the window by a part.
const SLOTS: usize = 201;
const SLOT_US: u64 = 5_000;
const QUARTER: usize = 51;
/// 50 ms: a burst would come back a quarter of a second later, when it has left the window.
const MOMENT: usize = 10;
const MOMENT_S: f64 = (MOMENT + 1) as f64 * SLOT_US as f64 / SECOND;

/// A bucket of tokens that is also held back by what was paid lately. The bucket alone would
/// either forget what a late wake-up left unused (if it is small) or let it all through at once (if
/// it is large).
#[derive(Clone, Debug)]
pub struct Throttle {
    /// Bytes a second; infinite for no limit.
    rate: f64,
    balance: f64,
    /// The bucket is full with this.
    depth: f64,
    filled_us: Micros,
    slots: Box<[f32; SLOTS]>,
    /// What was asked for and comes later, by the time of asking.
    asked: Box<[f32; SLOTS]>,
    /// The number of the newest slot since the beginning.
    newest: u64,
    second: f64,
    quarter: f64,
    /// Paid for and on its way: it may arrive any moment.
    pending: f64,
    /// The same on average, over a second or so.
    usually_pending: f64,
    /// The slot in which the rate was last changed.
    changed: Option<u64>,
}

/// What the windows may hold beyond the rate.
const OVER_A_SECOND: f64 = 1.003;
const OVER_A_QUARTER: f64 = 1.04;
const OVER_A_MOMENT: f64 = 1.1;
/// What arrives at once, on average: at low rates it is much of a window, and waiting until the
/// whole of it fits would leave that much unused.
const LUMP: f64 = 1_500.0;
/// What is pending counts in a window up to this much, in seconds of the rate, and so many of the window's
/// slots are left to it. In a second nearly all of it: a web that stood still sends all it owes at once.
const PENDING_IN_A_SECOND: (f64, usize) = (0.9, 180);
const PENDING_IN_A_QUARTER: (f64, usize) = (0.15, 35);
/// The cap is far as long as less than this part of a second's bytes is in a second, in a quarter,
/// and on its way.
const FAR_SECOND: f64 = 0.25;
const FAR_QUARTER: f64 = 0.1;
const FAR_PENDING: f64 = 0.02;
/// What is left unused is remembered for so long.
const MEMORY_S: f64 = 0.3;
/// And in the second after the rate was changed, when who had it before may have used it: no longer than it takes to wake up.
const MEMORY_OF_CHANGED_S: f64 = 0.05;

impl Throttle {
    pub fn new(rate: f64, now: Micros) -> Throttle {
        Throttle {
            rate,
            balance: 0.0,
            depth: rate * MEMORY_S,
            filled_us: now,
            slots: Box::new([0.0; SLOTS]),
            asked: Box::new([0.0; SLOTS]),
            newest: now / SLOT_US,
            second: 0.0,
            quarter: 0.0,
            pending: 0.0,
            usually_pending: 0.0,
            changed: None,
        }
    }

    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// From now on; a debt counts on, up to what can be paid soon.
    pub fn set_rate(&mut self, rate: f64, now: Micros) {
        self.advance(now);
        if rate == self.rate {
            return;
        }
        // Without a limit no time was counted: it must not fill the bucket now.
        self.filled_us = now;
        // Without a limit nothing was noted that could be compared, nor where nothing might come.
        let comparable = |rate: f64| rate > 0.0 && rate.is_finite();
        let scale = if comparable(self.rate) && comparable(rate) { rate / self.rate } else { 0.0 };
        self.changed = Some(self.newest);
        self.rate = rate;
        self.depth = rate * MEMORY_S;
        // No store from another time, which may be somebody else's by now, and no debt that would take seconds to pay.
        self.balance = self.balance.clamp(-self.depth, 0.0);
        self.scale_windows(scale);
    }

    /// The windows are as full as they were, for the new rate: emptied, a rate that changes often would
    /// never be held to what a second may hold.
    fn scale_windows(&mut self, by: f64) {
        self.slots.iter_mut().for_each(|slot| *slot *= by as f32);
        self.second = self.oldest(SLOTS, SLOTS);
        self.quarter = self.oldest(QUARTER, QUARTER);
    }

    /// When `amount` may be paid, for what arrives at once or `later`; `now` for at once, `None` for
    /// never at this rate.
    pub fn when(&mut self, amount: f64, later: bool, now: Micros) -> Option<Micros> {
        if self.rate.is_infinite() {
            return Some(now);
        }
        if self.rate <= 0.0 {
            return None;
        }
        self.advance(now);
        // Larger than what the windows ever hold would wait for ever; it runs up a debt instead.
        let amount = amount.min(self.rate * 0.04).min(self.depth);
        let missing = amount - self.balance;
        let by_bucket = now + (missing.max(0.0) / self.rate * SECOND).ceil() as u64;
        let by_windows =
            if self.is_full(amount, later) { (self.newest + 1) * SLOT_US } else { now };
        Some(by_bucket.max(by_windows))
    }

    /// Whether the windows have no place for `amount`, though all that is pending arrived at once.
    ///
    /// On average it arrives over some time, in which as much leaves the windows at their other
    /// end; that time is what is usually pending, divided by the rate.
    fn is_full(&self, amount: f64, later: bool) -> bool {
        let lead = (self.usually_pending / self.rate * SECOND / SLOT_US as f64) as usize;
        let full = |sum: f64, slots: usize, most: f64, (counts_s, most_lead): (f64, usize)| {
            // Whatever is pending, something may always be asked for, lest all wait for ever.
            let pending = self.pending.min(self.rate * counts_s);
            // After a lump no more is counted on to leave than usually does: what is pending may come before the lump has left.
            // Not so in a quarter, whose bar is far off: where answers are large, all of them are lumps there.
            let lead = lead.min(most_lead);
            let usual = match slots {
                SLOTS => self.rate * lead as f64 * SLOT_US as f64 / SECOND,
                _ => f64::INFINITY,
            };
            let leaving = self.oldest(slots, lead).min(usual);
            (!later && sum + amount > most) || sum - leaving + pending + amount > most
        };
        // What one leaves unused in a second may have gone to another who shares the cap: to make up for it
        // would pass the cap.
        let (over_a_second, over_a_quarter, lump) = match self.is_steady() {
            true => (OVER_A_SECOND, OVER_A_QUARTER, LUMP),
            false => (1.0, 1.0, LUMP / 4.0),
        };
        let second = self.rate * over_a_second + lump;
        let quarter = self.rate * 0.25 * over_a_quarter + lump;
        full(self.second, SLOTS, second, PENDING_IN_A_SECOND)
            || full(self.quarter, QUARTER, quarter, PENDING_IN_A_QUARTER)
            || newest(if later { &self.asked } else { &self.slots }, self.newest) + amount
                > self.rate * MOMENT_S * OVER_A_MOMENT + LUMP.max(amount / 2.0)
    }

    /// All that the windows hold came at the rate of now.
    fn is_steady(&self) -> bool {
        self.changed.is_none_or(|slot| self.newest >= slot + SLOTS as u64)
    }

    /// What is in the first `count` slots of a window.
    fn oldest(&self, window: usize, count: usize) -> f64 {
        let first = self.newest as usize + SLOTS + 1 - window;
        (first..first + count).map(|slot| f64::from(self.slots[slot % SLOTS])).sum()
    }

    /// Pays for what will arrive later.
    pub fn reserve(&mut self, amount: f64, now: Micros) {
        self.advance(now);
        self.balance -= amount;
        self.pending += amount;
        self.asked[(self.newest % SLOTS as u64) as usize] += amount as f32;
    }

    /// What was reserved arrives now; with a negative amount, what was thought to have arrived has
    /// not yet.
    pub fn land(&mut self, amount: f64, now: Micros) {
        self.advance(now);
        self.pending = (self.pending - amount).max(0.0);
        self.note(amount);
    }

    /// Pays, or takes back with a negative amount; the balance may become a debt.
    pub fn pay(&mut self, amount: f64, now: Micros) {
        self.advance(now);
        self.balance = (self.balance - amount).min(self.depth);
        self.note(amount);
    }

    /// What was paid at `at` did not come: as if it had never been.
    pub fn take_back(&mut self, amount: f64, at: Micros, now: Micros) {
        self.advance(now);
        self.balance = (self.balance + amount).min(self.depth);
        let age = (self.newest - (at / SLOT_US).min(self.newest)) as usize;
        if age >= SLOTS {
            return;
        }
        let slot = &mut self.slots[((self.newest - age as u64) % SLOTS as u64) as usize];
        // What was paid at another rate may count for less now.
        let amount = amount.min(f64::from(*slot).max(0.0));
        *slot -= amount as f32;
        self.second -= amount;
        if age < QUARTER {
            self.quarter -= amount;
        }
    }

    fn note(&mut self, amount: f64) {
        self.slots[(self.newest % SLOTS as u64) as usize] += amount as f32;
        self.second += amount;
        self.quarter += amount;
    }

    /// What was paid for and may arrive any moment.
    pub fn pending(&self) -> f64 {
        self.pending
    }

    /// What was paid in the last second, as a part of the rate.
    pub fn load(&mut self, now: Micros) -> f64 {
        self.advance(now);
        if self.rate.is_infinite() { 0.0 } else { self.second / self.rate }
    }

    /// So little was paid lately, and so little is pending, that nothing small could matter.
    pub fn is_far(&mut self, now: Micros) -> bool {
        self.advance(now);
        self.rate.is_infinite()
            || (self.second < self.rate * FAR_SECOND
                && self.quarter < self.rate * FAR_QUARTER
                && self.pending < self.rate * FAR_PENDING)
    }

    fn advance(&mut self, now: Micros) {
        if self.rate.is_infinite() || now <= self.filled_us {
            return;
        }
        let passed = (now - self.filled_us) as f64;
        self.filled_us = now;
        let depth = match self.is_steady() {
            true => self.depth,
            false => self.rate * MEMORY_OF_CHANGED_S,
        };
        self.balance = (self.balance + self.rate * passed / SECOND).min(depth);
        let slot = now / SLOT_US;
        if slot >= self.newest + SLOTS as u64 {
            self.slots.fill(0.0);
            self.asked.fill(0.0);
            (self.second, self.quarter, self.newest) = (0.0, 0.0, slot);
        }
        while self.newest < slot {
            self.newest += 1;
            // What is owed while nothing comes will come at once, and tells nothing of what is usual.
            let flows = (self.quarter / (self.rate * 0.25)).clamp(0.0, 1.0);
            self.usually_pending += (self.pending - self.usually_pending) * flows / SLOTS as f64;
            let place = (self.newest % SLOTS as u64) as usize;
            self.second -= f64::from(self.slots[place]);
            self.slots[place] = 0.0;
            self.asked[place] = 0.0;
            let left = (place + SLOTS - QUARTER) % SLOTS;
            self.quarter -= f64::from(self.slots[left]);
        }
    }
}

/// What is in the last slots.
fn newest(slots: &[f32; SLOTS], newest: u64) -> f64 {
    let last = newest as usize + SLOTS;
    (last - MOMENT..=last).map(|slot| f64::from(slots[slot % SLOTS])).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Payments of `amounts` one after the other, as early as may be; `stalls` are moments at
    /// which nobody looks for a while. Gives what was paid when.
    fn run(rate: f64, amounts: &[f64], stalls: &[(u64, u64)]) -> Vec<(u64, f64)> {
        let mut throttle = Throttle::new(rate, 0);
        let mut now = 0;
        let mut paid = Vec::new();
        for amount in amounts.iter().cycle() {
            loop {
                let at = throttle.when(*amount, false, now).unwrap();
                if at <= now {
                    break;
                }
                now = at;
                for (from, length) in stalls {
                    if (*from..from + length).contains(&now) {
                        now = from + length;
                    }
                }
            }
            if now > 6_000_000 {
                return paid;
            }
            throttle.pay(*amount, now);
            paid.push((now, *amount));
        }
        paid
    }

    fn worst(paid: &[(u64, f64)], window_us: u64) -> f64 {
        let mut most = 0.0f64;
        for (first, (from, _)) in paid.iter().enumerate() {
            let inside = paid[first..].iter().take_while(|(at, _)| *at < from + window_us);
            most = most.max(inside.map(|(_, amount)| amount).sum());
        }
        most
    }

    proptest! {
        #[test]
        fn no_second_and_no_quarter_passes_the_rate(
            rate in 20_000.0f64..50_000_000.0,
            amounts in prop::collection::vec(0.001f64..0.01, 1..20),
            stalls in prop::collection::vec((0u64..5_000_000, 1_000u64..150_000), 0..5),
        ) {
            let amounts: Vec<f64> = amounts.iter().map(|part| part * rate).collect();
            let paid = run(rate, &amounts, &stalls);
            let slack = 0.01 * rate + LUMP;
            prop_assert!(worst(&paid, 1_000_000) <= rate * OVER_A_SECOND + slack);
            prop_assert!(worst(&paid, 250_000) <= rate * 0.25 * OVER_A_QUARTER + slack);
        }

        /// As with downloaders that begin again after a pause, while the scheduler finds out who can use how much.
        #[test]
        fn a_cap_that_is_handed_to_and_fro_is_held_by_all_together(
            parts in prop::collection::vec(0.1f64..0.9, 10),
            begins in prop::array::uniform2(0u64..600_000),
        ) {
            const CAP: f64 = 1_000_000.0;
            let mut both = begins.map(|_| Throttle::new(CAP / 2.0, 0));
            let mut paid = Vec::new();
            for (part, turn) in parts.iter().zip(10..) {
                for now in (turn * 200_000..(turn + 1) * 200_000u64).step_by(1_000) {
                    for (who, throttle) in both.iter_mut().enumerate() {
                        throttle.set_rate(CAP * if who == 0 { *part } else { 1.0 - part }, now);
                        let is_awake = now >= 2_000_000 + begins[who];
                        while is_awake && throttle.when(1_514.0, false, now).unwrap() <= now {
                            throttle.pay(1_514.0, now);
                            paid.push((now, 1_514.0));
                        }
                    }
                }
            }
            let second = worst(&paid, 1_000_000);
            prop_assert!(second <= CAP * 1.02, "{second}");
        }
    }

    #[test]
    fn the_rate_is_used_to_the_full_even_by_a_sleepy_payer() {
        let stalls: Vec<(u64, u64)> = (1..30).map(|n| (n * 200_000, 12_000)).collect();
        let paid = run(1_000_000.0, &[4_000.0], &stalls);
        let sum: f64 = paid.iter().map(|(_, amount)| amount).sum();
        let end = paid.last().unwrap().0 as f64 / SECOND;
        assert!(sum > 0.97 * 1_000_000.0 * end, "{sum} in {end} s");
    }

    #[test]
    fn what_is_taken_back_leaves_no_trace() {
        for at in [500_000, 1_100_000, 1_390_000] {
            let mut throttle = Throttle::new(1_000_000.0, 0);
            let mut other = throttle.clone();
            for now in (0..1_400_000).step_by(10_000) {
                throttle.pay(5_000.0, now);
                other.pay(if now == at { 0.0 } else { 5_000.0 }, now);
            }
            throttle.take_back(5_000.0, at, 1_400_000);
            other.advance(1_400_000);
            assert_eq!((throttle.second, throttle.quarter), (other.second, other.quarter), "{at}");
            other.advance(3_000_000);
            throttle.advance(3_000_000);
            assert_eq!(
                (throttle.second, throttle.quarter, throttle.balance),
                (0.0, 0.0, other.balance)
            );
        }
    }

    #[test]
    fn a_rate_that_changes_often_is_held_all_the_same() {
        let mut throttle = Throttle::new(400_000.0, 0);
        let (mut now, mut paid) = (0, Vec::new());
        for turn in 1..=20 {
            // What was left unused in a pause may be made up for, but not at once.
            now += 60_000;
            while now < turn * 300_000 {
                match throttle.when(4_000.0, false, now).unwrap() {
                    at if at > now => now = at,
                    _ => {
                        throttle.pay(4_000.0, now);
                        paid.push((now, 4_000.0));
                    }
                }
            }
            throttle.set_rate(if turn % 2 == 0 { 400_000.0 } else { 390_000.0 }, now);
            while let Some(at) = throttle.when(4_000.0, false, now).filter(|at| *at <= now) {
                throttle.pay(4_000.0, at);
                paid.push((at, 4_000.0));
            }
        }
        let sum: f64 = paid.iter().map(|(_, amount)| amount).sum();
        assert!(sum > 0.8 * 390_000.0 * 6.0, "{sum}");
        let (second, quarter) = (worst(&paid, 1_000_000), worst(&paid, 250_000));
        assert!(second <= 400_000.0 * OVER_A_SECOND + LUMP, "{second}");
        assert!(quarter <= 100_000.0 * OVER_A_QUARTER + LUMP + 4_000.0, "{quarter}");
    }

    #[test]
    fn a_lower_rate_holds_from_the_moment_it_is_set() {
        let mut throttle = Throttle::new(1_000_000.0, 0);
        let mut now = 0;
        let mut run = |throttle: &mut Throttle, until: u64| {
            let mut sum = 0.0;
            loop {
                now = throttle.when(1_000.0, false, now).unwrap().max(now);
                if now >= until {
                    return sum;
                }
                throttle.pay(1_000.0, now);
                sum += 1_000.0;
            }
        };
        assert!(run(&mut throttle, 2_000_000) > 1_980_000.0);
        throttle.set_rate(100_000.0, 2_000_000);
        let after = run(&mut throttle, 2_250_000);
        assert!((20_000.0..30_000.0).contains(&after), "{after}");
        throttle.set_rate(0.0, 2_250_000);
        assert_eq!(throttle.when(1.0, false, 2_250_000), None);
        throttle.set_rate(f64::INFINITY, 3_000_000);
        assert_eq!(throttle.when(1e12, false, 3_000_000), Some(3_000_000));
        throttle.pay(1e9, 4_000_000);
        throttle.set_rate(100_000.0, 9_000_000);
        assert!(throttle.when(1_000.0, false, 9_000_000).unwrap() > 9_000_000, "a full bucket");
    }

    #[test]
    fn a_lump_that_is_yet_to_leave_makes_no_room_for_more_than_the_rate() {
        let mut throttle = Throttle::new(1e6, 0);
        for slot in 0..SLOTS as u64 {
            let lump = if slot < 4 { 18_750.0 } else { 4_700.0 };
            throttle.pay(lump, slot * SLOT_US);
        }
        (throttle.usually_pending, throttle.pending) = (20_000.0, 30_000.0);
        assert!(throttle.is_full(1000.0, true), "it may come while the lump is in the second");
        throttle.pending = 20_000.0;
        assert!(!throttle.is_full(1000.0, true), "this much leaves by then");
    }
}
