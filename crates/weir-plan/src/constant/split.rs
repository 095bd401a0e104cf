//! One total split among many, each between bounds of its own.

/// How strongly one pulls at the total, and what it gets at the least and at the most.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub pull: f64,
    pub low: f64,
    pub high: f64,
}

/// What each gets: `pull * s`, but not below `low` nor above `high`, with the one `s` that uses
/// `total` up. All lows if they pass the total, all highs if they do not reach it.
///
/// The sum grows with `s` and is a straight line between the marks where a part leaves its low or
/// reaches its high. The stretch that holds the answer is found by halving the sorted marks with
/// a fresh sum at each, so nothing is ever subtracted from a running sum and sizes may differ by
/// any factor.
pub fn split(total: f64, parts: &[Part]) -> Vec<f64> {
    let mut marks: Vec<f64> = parts.iter().flat_map(|part| [part.leaves(), part.stops()]).collect();
    marks.retain(|mark| *mark > 0.0 && mark.is_finite());
    marks.sort_unstable_by(f64::total_cmp);
    let after = marks.partition_point(|&s| sum_at(s, parts) < total);
    let from = after.checked_sub(1).map_or(0.0, |before| marks[before]);
    let to = marks.get(after).copied().unwrap_or(f64::INFINITY);
    share(total, parts, from, to)
}

/// The answer, given that `s` lies between `from` and `to` with no mark between them.
fn share(total: f64, parts: &[Part], from: f64, to: f64) -> Vec<f64> {
    let (mut fixed, mut pulls) = (0.0, 0.0);
    for part in parts {
        match part.fixed(from, to) {
            Some(rate) => fixed += rate,
            None => pulls += part.pull,
        }
    }
    let rest = f64::max(total - fixed, 0.0);
    let one = |part: &Part| {
        let free = || (rest * (part.pull / pulls)).max(part.low).min(part.high);
        part.fixed(from, to).unwrap_or_else(free)
    };
    parts.iter().map(one).collect()
}

fn sum_at(s: f64, parts: &[Part]) -> f64 {
    parts.iter().map(|part| (part.pull * s).max(part.low).min(part.high)).sum()
}

impl Part {
    /// The `s` at which the part rises above its low; a part that does not pull never does.
    fn leaves(&self) -> f64 {
        if self.pull > 0.0 { self.low / self.pull } else { f64::INFINITY }
    }

    /// The `s` at which the part reaches its high.
    fn stops(&self) -> f64 {
        if self.pull > 0.0 { self.high / self.pull } else { f64::INFINITY }
    }

    fn fixed(&self, from: f64, to: f64) -> Option<f64> {
        if self.stops() <= from {
            Some(self.high)
        } else if self.leaves() >= to {
            Some(self.low.min(self.high))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: f64 = f64::INFINITY;

    fn check(total: f64, parts: &[(f64, f64, f64)], expected: &[f64]) {
        let parts: Vec<Part> =
            parts.iter().map(|&(pull, low, high)| Part { pull, low, high }).collect();
        assert_eq!(split(total, &parts), expected, "{total} among {parts:?}");
    }

    #[test]
    fn without_bounds_shares_follow_the_pulls() {
        check(12.0, &[(1.0, 0.0, ANY), (2.0, 0.0, ANY), (3.0, 0.0, ANY)], &[2.0, 4.0, 6.0]);
    }

    #[test]
    fn what_a_bounded_part_cannot_take_goes_to_the_others() {
        check(12.0, &[(1.0, 0.0, ANY), (2.0, 0.0, 3.0), (2.0, 0.0, ANY)], &[3.0, 3.0, 6.0]);
        check(12.0, &[(1.0, 6.0, ANY), (2.0, 0.0, ANY), (1.0, 0.0, ANY)], &[6.0, 4.0, 2.0]);
        check(12.0, &[(1.0, 5.0, 5.0), (2.0, 0.0, 3.0), (1.0, 0.0, ANY)], &[5.0, 3.0, 4.0]);
    }

    #[test]
    fn a_total_beyond_all_bounds_gives_the_bounds() {
        check(12.0, &[(1.0, 0.0, 2.0), (1.0, 0.0, 3.0)], &[2.0, 3.0]);
        check(3.0, &[(1.0, 2.0, 9.0), (1.0, 4.0, 9.0), (1.0, 0.0, 9.0)], &[2.0, 4.0, 0.0]);
        check(5.0, &[], &[]);
    }

    #[test]
    fn who_does_not_pull_gets_its_low() {
        check(12.0, &[(0.0, 0.0, 0.0), (0.0, 1.0, ANY), (1.0, 0.0, ANY)], &[0.0, 1.0, 11.0]);
    }

    #[test]
    fn pulls_may_differ_by_any_factor() {
        check(3.0, &[(1e300, 0.0, 2.0), (1e-300, 0.0, ANY)], &[2.0, 1.0]);
        check(3.0, &[(1e-300, 2.0, ANY), (1e300, 0.0, ANY)], &[2.0, 1.0]);
    }
}
