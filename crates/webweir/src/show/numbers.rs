use std::collections::VecDeque;
use std::time::Duration;

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How fast a count grows, over the last few seconds.
#[derive(Default)]
pub struct Rate {
    points: VecDeque<(Duration, u64)>,
}

const WINDOW: Duration = Duration::from_secs(3);

impl Rate {
    /// Takes the count at a time and returns its growth per second.
    pub fn at(&mut self, time: Duration, count: u64) -> f64 {
        while self.points.len() > 1
            && self.points.front().is_some_and(|(at, _)| *at + WINDOW < time)
        {
            self.points.pop_front();
        }
        self.points.push_back((time, count));
        let (first_time, first) = self.points.front().copied().unwrap_or((time, count));
        let span = (time.saturating_sub(first_time)).as_secs_f64();
        if span > 0.0 { count.saturating_sub(first) as f64 / span } else { 0.0 }
    }
}

/// A recrawl counts each visit to a page, so that there may be more of them than URLs.
pub fn of_known(pages: u64, known: u64) -> String {
    match pages <= known {
        true => format!("{} pages of {} known", grouped(pages), grouped(known)),
        false => format!("{} pages, {} known", grouped(pages), grouped(known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_beyond_what_is_known_are_not_said_to_be_of_it() {
        assert_eq!(of_known(84, 1_050), "84 pages of 1,050 known");
        assert_eq!(of_known(168, 106), "168 pages, 106 known");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_rate_forgets_what_is_long_past() {
        let mut rate = Rate::default();
        let seconds = Duration::from_secs;
        assert_eq!(rate.at(seconds(0), 0), 0.0);
        assert_eq!(rate.at(seconds(2), 20), 10.0);
        for time in 3..20 {
            rate.at(seconds(time), 20);
        }
        assert_eq!(rate.at(seconds(20), 20), 0.0);
    }
}
