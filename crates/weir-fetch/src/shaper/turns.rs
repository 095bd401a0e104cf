//! Whose turn it is: sites by weight, so that each gets its part of what is granted, and what one
//! does not use goes to the others at once (start-time fair queueing).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sites that wait, ordered by the virtual time at which their next turn begins.
#[derive(Default)]
pub struct Turns {
    waiting: BinaryHeap<Reverse<(Tag, u32)>>,
    /// The virtual time: the beginning of the turn that was granted last.
    now: f64,
}

#[derive(Clone, Copy, PartialEq)]
struct Tag(f64);

/// A site's place in the order.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub weight: f64,
    /// When the turns granted so far end.
    end: f64,
}

impl Turn {
    pub fn new(weight: f64) -> Turn {
        Turn { weight, end: 0.0 }
    }

    /// What it got beyond `now` was got with the old weight, and is owed with the new one.
    pub fn set_weight(&mut self, weight: f64, now: f64) {
        self.end = now + (self.end - now) * (self.weight / weight);
        self.weight = weight;
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
        turn.end = turn.end.max(self.now - grace);
        self.waiting.push(Reverse((Tag(turn.end), site)));
    }

    /// The site whose turn it is, out of the line.
    pub fn next(&mut self) -> Option<u32> {
        let Reverse((_, site)) = self.waiting.pop()?;
        Some(site)
    }

    /// Takes a site out of the line.
    pub fn leave(&mut self, site: u32) {
        self.waiting.retain(|Reverse((_, waiting))| *waiting != site);
    }

    /// The virtual time.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The turn that begins now is granted.
    pub fn granted(&mut self, turn: &Turn) {
        self.now = self.now.max(turn.end);
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
            line.granted(&sites[site]);
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
}
