//! How fast a server is at what hour, learnt from its downloads (the predictor of Diligenti et
//! al. 2004, with the sign of its exponent put right: as printed it diverges).
//!
//! Feed only downloads that the server limited. One that was slowed down by our own shaper says
//! no more than "at least this".

const HOUR: f64 = 60.0;
const DAY: f64 = 1440.0;

/// Servers are slower when people work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Day {
    Holiday,
    Working,
}

/// What kind of day it is, was, and will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    pub yesterday: Day,
    pub today: Day,
    pub tomorrow: Day,
}

/// How a download changes the figures of the hours around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learning {
    /// What a download at the full hour counts for, beside all before it (the paper's k).
    pub gain: f64,
    /// How far a download reaches, in minutes (the paper's sigma).
    pub reach: f64,
    pub clock: Clock,
    /// Lets the first downloads of a server count for more, so that a guess is soon forgotten.
    pub eager: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// 23:59 is one minute away from the next midnight, and that midnight belongs to tomorrow.
    Round,
    /// As printed: 23:59 is as far from 0:00 as can be, and all hours are today's.
    Straight,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning { gain: 0.3, reach: 120.0, clock: Clock::Round, eager: true }
    }
}

/// What a download at some minute counts for at each hour, beside what the kind of that hour's
/// day makes of it: one or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    gains: [f64; 24],
    holiday: [f64; 24],
    working: [f64; 24],
    eager: bool,
}

impl Learning {
    pub fn gains(&self, minute: f64, days: Days) -> Gains {
        let hours: [(f64, Day); 24] = std::array::from_fn(|hour| {
            let mark = HOUR * hour as f64;
            let (away, day) = match self.clock {
                Clock::Straight => (minute - mark, days.today),
                Clock::Round => {
                    let away = (minute - mark + DAY / 2.0).rem_euclid(DAY) - DAY / 2.0;
                    (away, days.of(minute - away))
                }
            };
            (self.gain * (-(away / self.reach).powi(2)).exp(), day)
        });
        let of = |kind: Day| hours.map(|(_, day)| if day == kind { 1.0 } else { 0.0 });
        Gains {
            gains: hours.map(|(gain, _)| gain),
            holiday: of(Day::Holiday),
            working: of(Day::Working),
            eager: self.eager,
        }
    }
}

/// The speed of one server at each full hour of both kinds of day.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    holiday: [f64; 24],
    working: [f64; 24],
    downloads: u32,
}

impl Speed {
    /// A server not yet met. What all the others have on average is a good guess; zero would let
    /// everything start, infinity nothing.
    pub fn new(guess: f64) -> Speed {
        Speed { holiday: [guess; 24], working: [guess; 24], downloads: 0 }
    }

    /// As it was kept: the figures of [`Speed::of`] and [`Speed::downloads`].
    pub fn restore(holiday: [f64; 24], working: [f64; 24], downloads: u32) -> Speed {
        Speed { holiday, working, downloads }
    }

    /// How many it has learnt from.
    pub fn downloads(&self) -> u32 {
        self.downloads
    }

    /// Lets the past count for this part of what it did: an eager learner soon follows what is new.
    pub fn forget(&mut self, keep: f64) {
        self.downloads = (f64::from(self.downloads) * keep.clamp(0.0, 1.0)) as u32;
    }

    /// Learns from a download at this minute of the day. What is no speed is not learnt from.
    pub fn observe(&mut self, minute: f64, days: Days, measured: f64, learning: &Learning) {
        if minute.is_finite() {
            self.learn(measured, &learning.gains(minute, days));
        }
    }

    /// The same, for who has many downloads of the same minute.
    pub fn learn(&mut self, measured: f64, gains: &Gains) {
        if !(measured.is_finite() && measured >= 0.0) {
            return;
        }
        let least = if gains.eager { 1.0 / (1.0 + f64::from(self.downloads)) } else { 0.0 };
        // Without a branch, for this is done for each page: both kinds of day, one with nothing.
        for hour in 0..24 {
            let gain = if gains.gains[hour] > least { gains.gains[hour] } else { least };
            let (holiday, working) = (self.holiday[hour], self.working[hour]);
            self.holiday[hour] += gain * gains.holiday[hour] * (measured - holiday);
            self.working[hour] += gain * gains.working[hour] * (measured - working);
        }
        self.downloads = self.downloads.saturating_add(1);
    }

    /// The speed at the full hour next to this minute of the day.
    pub fn nearest(&self, minute: f64, today: Day, tomorrow: Day) -> f64 {
        self.at_hour((minute / HOUR + 0.5).floor(), today, tomorrow)
    }

    /// The speed at this minute of the day, on a straight line between the full hours around it.
    pub fn at(&self, minute: f64, today: Day, tomorrow: Day) -> f64 {
        let hours = minute / HOUR;
        let (before, part) = (hours.floor(), hours - hours.floor());
        let from = self.at_hour(before, today, tomorrow);
        from + part * (self.at_hour(before + 1.0, today, tomorrow) - from)
    }

    /// The table of one kind of day.
    pub fn of(&self, day: Day) -> &[f64; 24] {
        match day {
            Day::Holiday => &self.holiday,
            Day::Working => &self.working,
        }
    }

    /// The hours from 24 up are tomorrow's.
    fn at_hour(&self, hour: f64, today: Day, tomorrow: Day) -> f64 {
        let hour = hour.max(0.0) as usize;
        self.of(if hour < 24 { today } else { tomorrow })[hour % 24]
    }
}

impl Days {
    /// The kind of the day that a minute lies in, counted from today's midnight.
    fn of(&self, minute: f64) -> Day {
        if minute < 0.0 {
            self.yesterday
        } else if minute >= DAY {
            self.tomorrow
        } else {
            self.today
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRIDAY: Days =
        Days { yesterday: Day::Working, today: Day::Working, tomorrow: Day::Holiday };

    fn plain(clock: Clock) -> Learning {
        Learning { clock, eager: false, ..Learning::default() }
    }

    #[test]
    fn a_download_at_the_full_hour_counts_by_the_gain_and_fades_with_distance() {
        let mut speed = Speed::new(0.0);
        speed.observe(600.0, FRIDAY, 100.0, &plain(Clock::Round));
        let rounded = |hour: usize| speed.of(Day::Working)[hour].round();
        assert_eq!([10, 11, 12, 13, 14].map(rounded), [30.0, 23.0, 11.0, 3.0, 1.0]);
        assert_eq!(rounded(9), rounded(11));
        assert_eq!(*speed.of(Day::Holiday), [0.0; 24]);
    }

    #[test]
    fn a_late_friday_tells_of_saturdays_midnight() {
        let mut speed = Speed::new(0.0);
        speed.observe(1439.0, FRIDAY, 100.0, &plain(Clock::Round));
        assert!(speed.of(Day::Holiday)[0] > 29.9);
        assert!(speed.of(Day::Working)[23] > 20.0);
        assert!(speed.of(Day::Working)[0] < 1e-9);
    }

    #[test]
    fn as_printed_midnight_is_a_wall() {
        let mut speed = Speed::new(0.0);
        speed.observe(1439.0, FRIDAY, 100.0, &plain(Clock::Straight));
        assert_eq!(*speed.of(Day::Holiday), [0.0; 24]);
        assert!(speed.of(Day::Working)[0] < 1e-9);
    }

    #[test]
    fn the_guess_is_soon_forgotten() {
        let mut speed = Speed::new(1000.0);
        speed.observe(600.0, FRIDAY, 10.0, &Learning::default());
        assert_eq!(speed.at(600.0, Day::Working, Day::Holiday), 10.0);
        assert_eq!(speed.at(0.0, Day::Working, Day::Holiday), 10.0);
    }

    #[test]
    fn what_is_long_ago_counts_for_less() {
        let mut speed = Speed::new(0.0);
        (0..99).for_each(|_| speed.observe(600.0, FRIDAY, 1000.0, &Learning::default()));
        let mut kept = speed.clone();
        speed.forget(0.01);
        for speed in [&mut speed, &mut kept] {
            speed.observe(600.0, FRIDAY, 10.0, &Learning::default());
        }
        assert!(speed.of(Day::Working)[10] < kept.of(Day::Working)[10]);
        assert_eq!((speed.downloads(), kept.downloads()), (1, 100));
        let copy = Speed::restore(*speed.of(Day::Holiday), *speed.of(Day::Working), 1);
        assert_eq!(copy, speed);
    }

    #[test]
    fn what_is_no_speed_changes_nothing() {
        let mut speed = Speed::new(7.0);
        for absurd in [f64::NAN, f64::INFINITY, -1.0] {
            speed.observe(600.0, FRIDAY, absurd, &Learning::default());
        }
        assert_eq!(speed, Speed::new(7.0));
    }
}
