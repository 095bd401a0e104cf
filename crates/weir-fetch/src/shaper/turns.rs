//! Whose turn it is: sites by weight, so that each gets its part of what is granted, and what one
//! does not use goes to the others at once (start-time fair queueing).
//!
//! Sites stand in one of three lines, by their tier. Weights alone would not do: whenever the others have nothing to ask for,
//! for a moment, the virtual time leaps to the turn of one with a small weight, and with it all are even.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Who is served before whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// Whatever it can take: for those whose servers are slower than what they are to get, and that lose
    /// time with every moment they wait.
    First,
    #[default]
    Shared,
    /// What the others leave.
    Spare,
}

/// Sites that wait.
#[derive(Default)]
pub struct Turns {
    lines: [Line; 3],
    /// Bytes that are due to the spare ones all the same.
    due: f64,
}

/// Ordered by the virtual time at which the next turn of each begins.
#[derive(Default)]
struct Line {
    waiting: BinaryHeap<Reverse<(Tag, u32)>>,
    /// The virtual time: the beginning of the turn that was granted last.
    now: f64,
}

/// Servers give up on who reads nothing, so that a small part is always for those who get the rest...
const SPARE_PART: f64 = 0.01;
/// ...as soon as it is worth a turn.
const SPARE_TURN: f64 = 3_000.0;

#[derive(Clone, Copy, PartialEq)]
struct Tag(f64);

/// A site's place in the order.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub weight: f64,
    pub tier: Tier,
    /// When the turns granted so far end.
    end: f64,
}

impl Turn {
    pub fn new(weight: f64) -> Turn {
        Turn { weight, tier: Tier::Shared, end: 0.0 }
    }

    /// The site got so many bytes (or gave them back).
    pub fn charge(&mut self, bytes: f64) {
        self.end += bytes / self.weight;
    }
}

impl Turns {
    /// Puts a site in line. Who was away for a moment may catch up on `grace` bytes for each unit
    /// of weight, but not on what it left unused for long.
    pub fn wait(&mut self, site: u32, turn: &mut Turn, grace: f64) {
        let line = self.line(turn.tier);
        turn.end = turn.end.max(line.now - grace);
        line.waiting.push(Reverse((Tag(turn.end), site)));
    }

    /// The site whose turn it is, out of the line.
    pub fn next(&mut self) -> Option<u32> {
        let due = if self.due >= SPARE_TURN { self.line(Tier::Spare).waiting.pop() } else { None };
        let in_turn = || self.lines.iter_mut().find_map(|line| line.waiting.pop());
        let Reverse((_, site)) = due.or_else(in_turn)?;
        Some(site)
    }

    /// Takes a site out of the line.
    pub fn leave(&mut self, site: u32, turn: &Turn) {
        let waiting = &mut self.line(turn.tier).waiting;
        waiting.retain(|Reverse((_, waiting))| *waiting != site);
    }

    /// What it got beyond the virtual time was got with the old weight, and is owed with the new one. Who changes the
    /// line owes nothing. Not while it waits.
    pub fn change(&mut self, turn: &mut Turn, weight: f64, tier: Tier) {
        let now = self.line(tier).now;
        turn.end = match turn.tier == tier {
            true => now + (turn.end - now) * (turn.weight / weight),
            false => now,
        };
        (turn.weight, turn.tier) = (weight, tier);
    }

    /// The turn that begins now is granted, with so many bytes.
    pub fn granted(&mut self, turn: &Turn, bytes: f64) {
        let line = self.line(turn.tier);
        line.now = line.now.max(turn.end);
        let nobody_waits = self.line(Tier::Spare).waiting.is_empty();
        self.due = match turn.tier {
            Tier::Spare => (self.due - bytes).max(0.0),
            _ if nobody_waits => 0.0,
            _ => self.due + bytes * SPARE_PART,
        };
    }

    fn line(&mut self, tier: Tier) -> &mut Line {
        &mut self.lines[tier as usize]
    }
}

impl Eq for Tag {}

impl PartialOrd for Tag {
    fn partial_cmp(&self, other: &Tag) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Tag {
    fn cmp(&self, other: &Tag) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serves `turns` turns of 1000 bytes; sites are away from the line while `away` says so.
    fn serve(weights: &[f64], turns: usize, away: impl Fn(u32, usize) -> bool) -> Vec<f64> {
        let mut line = Turns::default();
        let mut sites: Vec<Turn> = weights.iter().map(|weight| Turn::new(*weight)).collect();
        let mut listed = vec![false; sites.len()];
        let mut got = vec![0.0; sites.len()];
        for turn in 0..turns {
            for site in 0..sites.len() {
                if !listed[site] && !away(site as u32, turn) {
                    line.wait(site as u32, &mut sites[site], 0.0);
                    listed[site] = true;
                }
            }
            let site = line.next().unwrap() as usize;
            line.granted(&sites[site], 1000.0);
            sites[site].charge(1000.0);
            got[site] += 1000.0;
            listed[site] = false;
        }
        got
    }

    #[test]
    fn each_gets_its_weight() {
        let got = serve(&[1.0, 2.0, 5.0], 8000, |_, _| false);
        for (got, part) in got.iter().zip([1.0, 2.0, 5.0]) {
            assert!((got - part * 1_000_000.0).abs() <= 5_000.0, "{got}");
        }
    }

    #[test]
    fn who_is_away_leaves_its_part_to_the_others_and_does_not_get_it_back() {
        let away = |site, turn| site == 0 && turn < 4000;
        let got = serve(&[1.0, 1.0, 1.0], 7000, away);
        assert!((got[0] - 1_000_000.0).abs() <= 3_000.0, "{got:?}");
        assert!((got[1] - 3_000_000.0).abs() <= 3_000.0, "{got:?}");
    }

    /// The first is away every other turn, as one that waits for its server.
    #[test]
    fn who_gets_what_others_leave_gets_hardly_more_than_that() {
        let mut line = Turns::default();
        let mut sites = [Turn::new(1.0), Turn::new(1.0)];
        let (first, spare) = sites.split_at_mut(1);
        line.change(&mut spare[0], 1.0, Tier::Spare);
        let mut got = [0.0_f64; 2];
        line.wait(1, &mut spare[0], 0.0);
        let mut listed = false;
        for turn in 0..10_000 {
            if turn % 2 == 0 && !listed {
                line.wait(0, &mut first[0], 0.0);
                listed = true;
            }
            let site = line.next().unwrap() as usize;
            let served = if site == 0 { &mut first[0] } else { &mut spare[0] };
            line.granted(served, 1000.0);
            served.charge(1000.0);
            got[site] += 1000.0;
            match site {
                0 => listed = false,
                _ => line.wait(1, served, 0.0),
            }
        }
        assert!((got[0] - 5_000_000.0).abs() <= 100_000.0, "{got:?}");
    }

    #[test]
    fn the_first_tier_comes_before_any_weight() {
        let mut line = Turns::default();
        let mut sites = [Turn::new(9.0), Turn::new(1.0)];
        line.change(&mut sites[1], 1.0, Tier::First);
        (0..2).for_each(|site| line.wait(site as u32, &mut sites[site], 0.0));
        assert_eq!((line.next(), line.next(), line.next()), (Some(1), Some(0), None));
    }

    #[test]
    fn who_gets_what_others_leave_is_not_starved() {
        let mut line = Turns::default();
        let mut sites = [Turn::new(1.0), Turn::new(1.0)];
        line.change(&mut sites[1], 1.0, Tier::Spare);
        let mut got = [0.0_f64; 2];
        (0..2).for_each(|site| line.wait(site as u32, &mut sites[site], 0.0));
        for _ in 0..10_000 {
            let site = line.next().unwrap() as usize;
            line.granted(&sites[site], 1000.0);
            sites[site].charge(1000.0);
            got[site] += 1000.0;
            line.wait(site as u32, &mut sites[site], 0.0);
        }
        assert!((got[1] / 100_000.0 - 1.0).abs() < 0.1, "a hundredth: {got:?}");
    }
}
