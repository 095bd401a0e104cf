//! One server, and who has how much of it.
//!
//! Where one request at a time is allowed, or a pause is to be kept, it is one attempt's as a whole;
//! otherwise the requests at a time are divided. Each of these parts is a *place*. If there are more who
//! want one than places, they take turns.

use std::time::{Duration, Instant};

use weir_crawl::{ServerGrant, ServerKey, ServerManners, ServerWord};

pub struct Server {
    most: u32,
    delay: Duration,
    /// Who waits the longest comes first.
    seats: Vec<Seat>,
    /// When the last request had ended for certain, of those who have given it back.
    rests_since: Option<Instant>,
}

/// One attempt that holds or wants it.
struct Seat {
    who: u64,
    /// It can be told things.
    is_there: bool,
    wants: bool,
    told: Told,
    /// Requests at a time that may be under way, whatever it was told last.
    booked: u32,
    /// Its turn began.
    since: Instant,
}

#[derive(Clone, Copy)]
struct Told {
    version: u64,
    slots: u32,
    contested: bool,
}

/// Who waits lets others go on for so long...
const TURN: Duration = Duration::from_secs(3);
/// ...and for so many pauses.
const TURN_PAUSES: u32 = 5;

impl Server {
    pub fn new(manners: ServerManners) -> Server {
        let ServerManners { most, delay_ms } = manners;
        let delay = Duration::from_millis(delay_ms);
        Server { most: most.max(1), delay, seats: Vec::new(), rests_since: None }
    }

    /// All tasks have the same settings; if not, the strictest hold.
    pub fn tighten(&mut self, manners: ServerManners) {
        self.most = self.most.min(manners.most.max(1));
        self.delay = self.delay.max(Duration::from_millis(manners.delay_ms));
    }

    pub fn has(&self, who: u64) -> bool {
        self.seats.iter().any(|seat| seat.who == who)
    }

    /// One who has it alone needs no looking after.
    pub fn is_simple(&self) -> bool {
        self.seats.len() == 1
    }

    /// Nobody has or wants it, and whoever comes next need not wait.
    pub fn is_forgotten(&self, now: Instant) -> bool {
        self.seats.is_empty() && self.wait(now).is_zero()
    }

    /// It is connected anew, and nothing that it was told before is on its way any more: what it says
    /// is how it stands.
    pub fn listed(&mut self, who: u64, word: &ServerWord, now: Instant) {
        let most = self.most;
        let Some(at) = self.seat_of(who, word.wants || word.slots > 0, now) else { return };
        let seat = &mut self.seats[at];
        let gave_back = word.slots == 0 && seat.booked > 0;
        seat.booked = word.slots.min(most);
        seat.told = Told { version: word.version, slots: seat.booked, contested: false };
        (seat.wants, seat.is_there) = (word.wants, true);
        if gave_back {
            self.rests_from(now);
        }
        self.tidy(at, gave_back);
    }

    pub fn said(&mut self, who: u64, word: &ServerWord, now: Instant) {
        let rested_ms = word.rested_ms.map(Duration::from_millis);
        self.rests_since =
            self.rests_since.max(rested_ms.and_then(|rested| now.checked_sub(rested)));
        let Some(at) = self.seat_of(who, word.wants, now) else { return };
        let seat = &mut self.seats[at];
        let is_new = word.wants && !seat.wants;
        seat.wants = word.wants;
        let mut gave_back = false;
        // Otherwise it has not heard yet what it was told last, and will take it when it does.
        if word.version >= seat.told.version {
            let slots = word.slots.min(seat.booked);
            gave_back = slots == 0 && seat.booked > 0;
            seat.booked = slots;
            seat.told = Told { version: word.version, slots, ..seat.told };
        }
        self.tidy(at, gave_back || is_new);
    }

    /// It certainly asks for nothing any more.
    pub fn left(&mut self, who: u64, now: Instant) {
        let Some(at) = self.seats.iter().position(|seat| seat.who == who) else { return };
        if self.seats.remove(at).booked > 0 {
            self.rests_from(now);
        }
    }

    /// It can be told nothing for now; what it holds it keeps.
    pub fn lost(&mut self, who: u64) {
        self.seats.iter_mut().filter(|seat| seat.who == who).for_each(|seat| seat.is_there = false);
    }

    /// What it was told last, if there was anything.
    pub fn grant(&self, server: ServerKey, who: u64, now: Instant) -> Option<ServerGrant> {
        let seat = self.seats.iter().find(|seat| seat.who == who)?;
        let Told { version, slots, contested } = seat.told;
        // Rounded up: nobody may begin too early.
        let wait_ms = u64::try_from(self.wait(now).as_micros().div_ceil(1000)).unwrap_or(u64::MAX);
        Some(ServerGrant { server, version, slots, wait_ms, contested })
    }

    /// Lowers, then raises as far as what was lowered is free. Who is to be told something new?
    pub fn settle(&mut self, version: &mut u64, now: Instant) -> Vec<u64> {
        let targets = self.targets(now);
        let is_contested = self.claims() > 1;
        let mut changed = Vec::new();
        for (at, target) in targets.into_iter().enumerate() {
            let free = self.places().saturating_sub(self.booked_places());
            let unit = self.unit();
            let seat = &mut self.seats[at];
            let has = seat.told.slots.div_ceil(unit);
            let slots = match target {
                _ if !seat.is_there => continue,
                target if target < has => target * unit,
                target if target > has && seat.is_down() && free > 0 => {
                    (has + free.min(target - has)) * unit
                }
                _ if has > 0 && is_contested && !seat.told.contested => seat.told.slots,
                _ => continue,
            };
            if has == 0 {
                (seat.since, seat.wants) = (now, false);
            }
            *version += 1;
            seat.told = Told { version: *version, slots, contested: is_contested };
            seat.booked = seat.booked.max(slots);
            changed.push(seat.who);
        }
        changed
    }

    /// How many places each should have.
    fn targets(&self, now: Instant) -> Vec<u32> {
        let (places, claims) = (self.places(), self.claims());
        if claims > places {
            return self.targets_in_turn(claims, now);
        }
        let mut rest = if claims == 0 { 0 } else { places % claims };
        let share = |seat: &Seat| {
            let extra = u32::from(rest > 0 && seat.claims());
            rest -= extra;
            if seat.claims() { places / claims + extra } else { 0 }
        };
        self.seats.iter().map(share).collect()
    }

    /// One place each for those who have one, but for as many whose turn is over as others wait for.
    fn targets_in_turn(&self, claims: u32, now: Instant) -> Vec<u32> {
        let turn = TURN.max(self.delay.saturating_mul(TURN_PAUSES));
        let mut over: Vec<(Instant, u64)> = self
            .seats
            .iter()
            .filter_map(|seat| {
                let is_over = seat.is_there && now.duration_since(seat.since) >= turn;
                (is_over && seat.told.slots > 0).then_some((seat.since, seat.who))
            })
            .collect();
        over.sort_unstable();
        over.truncate((claims - self.places()) as usize);
        let target = |seat: &Seat| match seat.told.slots {
            0 => u32::from(seat.claims()),
            _ => u32::from(!over.contains(&(seat.since, seat.who))),
        };
        self.seats.iter().map(target).collect()
    }

    fn claims(&self) -> u32 {
        self.seats.iter().filter(|seat| seat.claims()).count() as u32
    }

    fn is_whole(&self) -> bool {
        self.most == 1 || !self.delay.is_zero()
    }

    fn places(&self) -> u32 {
        if self.is_whole() { 1 } else { self.most }
    }

    /// Requests at a time of one place.
    fn unit(&self) -> u32 {
        if self.is_whole() { self.most } else { 1 }
    }

    fn booked_places(&self) -> u32 {
        let unit = self.unit();
        let booked = self.seats.iter().map(|seat| seat.booked.div_ceil(unit));
        booked.fold(0, u32::saturating_add)
    }

    fn wait(&self, now: Instant) -> Duration {
        let rested =
            |since: Instant| self.delay.saturating_sub(now.saturating_duration_since(since));
        self.rests_since.map_or(Duration::ZERO, rested)
    }

    fn rests_from(&mut self, now: Instant) {
        self.rests_since = self.rests_since.max(Some(now));
    }

    fn seat_of(&mut self, who: u64, may_be_new: bool, now: Instant) -> Option<usize> {
        let at = self.seats.iter().position(|seat| seat.who == who);
        if at.is_none() && may_be_new {
            self.seats.push(Seat::new(who, now));
            return Some(self.seats.len() - 1);
        }
        at
    }

    /// A seat that holds and wants nothing is none; one that has given something back goes to the end.
    fn tidy(&mut self, at: usize, moves_back: bool) {
        let seat = &self.seats[at];
        let is_empty = seat.booked == 0 && !seat.wants;
        if is_empty || moves_back {
            let seat = self.seats.remove(at);
            self.seats.extend(Some(seat).filter(|_| !is_empty));
        }
    }
}

impl Seat {
    fn new(who: u64, now: Instant) -> Seat {
        let told = Told { version: 0, slots: 0, contested: false };
        Seat { who, is_there: true, wants: false, told, booked: 0, since: now }
    }

    /// It has something, or waits and could be told that it has.
    fn claims(&self) -> bool {
        self.told.slots > 0 || self.wants && self.is_there
    }

    /// It has said that it keeps to what it was told.
    fn is_down(&self) -> bool {
        self.booked == self.told.slots
    }
}
