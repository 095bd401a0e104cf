//! A counter over time, and what can be said of it.

/// What a counter had reached at certain moments, in order; seconds.
#[derive(Clone, Debug, Default)]
pub struct Series {
    points: Vec<(f64, f64)>,
}

impl Series {
    /// A reading that is not later than the last one is left out.
    pub fn push(&mut self, at: f64, count: f64) {
        if self.points.last().is_none_or(|(last, _)| at > *last) {
            self.points.push((at, count));
        }
    }

    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The count at a moment, on the line between its neighbours: readings are never quite where a
    /// window begins, and a window taken too long would seem too full.
    pub fn at(&self, moment: f64) -> f64 {
        let after = self.points.partition_point(|(at, _)| *at < moment);
        match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (Some((t0, c0)), Some((t1, c1))) => c0 + (c1 - c0) * (moment - t0) / (t1 - t0),
            (Some((_, count)), None) => count,
            (None, Some((_, count))) => *count,
            (None, None) => 0.0,
        }
    }

    /// Mean rate between two moments.
    pub fn rate(&self, from: f64, to: f64) -> f64 {
        if to > from { (self.at(to) - self.at(from)) / (to - from) } else { 0.0 }
    }

    /// The rates of all windows of this length between two moments that begin or end at a reading,
    /// each with its beginning.
    pub fn windows(&self, length: f64, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
        let begins = self.points.iter().flat_map(move |(at, _)| [*at, at - length]);
        let fits = move |begin: &f64| *begin >= from && begin + length <= to;
        begins.filter(fits).map(move |begin| (begin, self.rate(begin, begin + length)))
    }

    /// The highest rate of a window of this length.
    pub fn worst(&self, length: f64, from: f64, to: f64) -> f64 {
        self.windows(length, from, to).map(|(_, rate)| rate).fold(0.0, f64::max)
    }

    /// The longest time without a reading.
    pub fn longest_gap(&self) -> f64 {
        let gaps = self.points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        gaps.fold(0.0, f64::max)
    }

    /// When the count first moved.
    pub fn begin(&self) -> Option<f64> {
        let (_, first) = self.points.first()?;
        let moved = self.points.iter().position(|(_, count)| count > first)?;
        Some(self.points[moved.saturating_sub(1)].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 a second, read at uneven times, with 50 at once at 2.0.
    fn uneven() -> Series {
        let mut series = Series::default();
        let mut at: f64 = 0.0;
        for step in 0..400 {
            series.push(at, 100.0 * at + if at > 2.0 { 50.0 } else { 0.0 });
            at += [0.009, 0.010, 0.014, 0.007][step % 4];
        }
        series
    }

    #[test]
    fn uneven_readings_show_no_excess_where_there_is_none() {
        let worst = uneven().worst(0.25, 0.0, 1.9);
        assert!((worst - 100.0).abs() < 1e-6, "{worst}");
    }

    #[test]
    fn a_burst_is_seen_in_every_length() {
        let series = uneven();
        assert!((series.worst(1.0, 0.0, 4.0) - 150.0).abs() < 1e-6);
        assert!((series.worst(0.25, 0.0, 4.0) - 300.0).abs() < 1e-6);
        assert!((series.rate(1.5, 2.5) - 150.0).abs() < 1e-6);
    }

    #[test]
    fn the_beginning_is_where_the_count_begins_to_move() {
        let mut series = Series::default();
        for (at, count) in [(0.0, 7.0), (1.0, 7.0), (2.0, 9.0), (2.0, 10.0)] {
            series.push(at, count);
        }
        assert_eq!(series.begin(), Some(1.0));
        assert_eq!(series.points().len(), 3);
        assert_eq!(series.longest_gap(), 1.0);
        assert_eq!(Series::default().begin(), None);
    }
}
