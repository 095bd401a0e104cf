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
/// a fresh sum at each, so that sizes may differ by any factor.
pub fn split(total: f64, parts: &[Part]) -> Vec<f64> {
    let leaving = sorted(parts.iter().map(Part::leaves));
    let stopping = sorted(parts.iter().map(Part::stops));
    let short = |&(s, _): &(f64, usize)| sum_at(s, parts) < total;
    let (left, stopped) = (leaving.partition_point(short), stopping.partition_point(short));
    let last = |marks: &[(f64, usize)]| marks.last().map_or(0.0, |mark| mark.0);
    let next = |marks: &[(f64, usize)]| marks.first().map_or(f64::INFINITY, |mark| mark.0);
    let from = last(&leaving[..left]).max(last(&stopping[..stopped]));
    let to = next(&leaving[left..]).min(next(&stopping[stopped..]));
    let sums = if stopped == 0 {
        sums_in_order(parts, &leaving[..left])
    } else {
        sums_anew(parts, from, to)
    };
    share(total, parts, (from, to), sums)
}

/// The marks that can be reached, lowest first, each with its part.
fn sorted(marks: impl Iterator<Item = f64>) -> Vec<(f64, usize)> {
    let mut marks: Vec<(f64, usize)> = marks.zip(0..).filter(|(s, _)| s.is_finite()).collect();
    marks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    marks
}

fn sum_at(s: f64, parts: &[Part]) -> f64 {
    parts.iter().map(|part| (part.pull * s).max(part.low).min(part.high)).sum()
}

/// What the fixed parts take, and the pull of the others, while none has reached its high: one
/// after the other leaves its low. In this order for the last bit: sites that end together take
/// their turns by it (`rounds`), and other calculations of the paper do it this way.
fn sums_in_order(parts: &[Part], left: &[(f64, usize)]) -> (f64, f64) {
    let lows: f64 = parts.iter().map(|part| part.low).sum();
    left.iter().fold((lows, 0.0), |(fixed, pulls), &(_, index)| {
        (fixed - parts[index].low, pulls + parts[index].pull)
    })
}

/// The same where some have reached their highs. Nothing is subtracted here: beside a part that
/// pulled a thousand million times as hard, the pull of the others would be rounded away.
fn sums_anew(parts: &[Part], from: f64, to: f64) -> (f64, f64) {
    parts.iter().fold((0.0, 0.0), |(fixed, pulls), part| match part.fixed(from, to) {
        Some(rate) => (fixed + rate, pulls),
        None => (fixed, pulls + part.pull),
    })
}

/// The answer, given that `s` lies where there is no mark, and the sums there.
fn share(
    total: f64,
    parts: &[Part],
    (from, to): (f64, f64),
    (fixed, pulls): (f64, f64),
) -> Vec<f64> {
    let rest = f64::max(total - fixed, 0.0);
    let s = rest / pulls;
    let free = |pull: f64| if s.is_normal() { pull * s } else { rest * (pull / pulls) };
    let one = |part: &Part| {
        part.fixed(from, to).unwrap_or_else(|| free(part.pull).max(part.low).min(part.high))
    };
    parts.iter().map(one).collect()
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
        let (huge, tiny) = (2_f64.powi(1000), 2_f64.powi(-1000));
        check(3.0, &[(huge, 0.0, 2.0), (tiny, 0.0, ANY)], &[2.0, 1.0]);
        check(3.0, &[(tiny, 2.0, ANY), (huge, 0.0, ANY)], &[2.0, 1.0]);
    }
}
