use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use weir_plan::refresh::{Belief, Evidence, Habits, MEMORY, Seen};

/// How a page has changed from visit to visit: what is needed to say when it is worth the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Changes {
    pub visits: u32,
    /// Visits that found it changed.
    pub changes: u32,
    /// Milliseconds since 1970; 0 for never.
    pub visited_ms: u64,
    pub changed_ms: u64,
    /// Bytes of the last answer that brought something new, and of the last that did not (0 if there
    /// was none).
    pub fetch: u64,
    pub check: u64,
    /// Of the text: nearly the same text differs in few bits. 0 if there is none.
    pub text: u64,
    /// Of what is always compared to the letter: the fields that somebody asked for, or where a redirect leads.
    pub exact: u64,
    /// URLs that nobody knew and that a later visit found on it.
    pub found: u32,
    pub habits: Habits,
}

/// What a visit has brought, as far as it is compared with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Brought {
    pub at_ms: u64,
    pub bytes: u64,
    pub text: u64,
    pub exact: u64,
    /// The server says so, or the payload is the same byte by byte.
    pub is_same: bool,
    /// Any other byte is a change.
    pub any: bool,
    /// When it was changed last, as the server or a sitemap says.
    pub modified_ms: Option<u64>,
}

/// What came of a page that was visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    New,
    Same,
    Changed,
}

/// Texts that differ in no more bits of their fingerprint are the same text: another date, another
/// advertisement, a counter.
const NEAR_BITS: u32 = 3;
const DAY_MS: f64 = 86_400_000.0;

impl Changes {
    /// Learns from a visit; `site` is what is believed of the pages around it.
    pub fn learn(&mut self, brought: &Brought, site: &Belief) -> Came {
        let ago = brought.modified_ms.map(|at| days(at, brought.at_ms));
        let came = match self.visits {
            0 => Came::New,
            _ if self.is_same(brought) => Came::Same,
            _ => Came::Changed,
        };
        let elapsed = days(self.visited_ms, brought.at_ms);
        match came {
            Came::New => self.habits = Habits::first(ago),
            Came::Same => self.habits.observe(site, elapsed, Seen::Same, MEMORY),
            Came::Changed => {
                let seen = ago.map_or(Seen::Changed, Seen::ChangedAgo);
                self.habits.observe(site, elapsed, seen, MEMORY);
            }
        }
        self.visits = self.visits.saturating_add(1);
        self.visited_ms = brought.at_ms;
        match came {
            // What is nearly the same is compared with what it first was, or it could go anywhere by
            // small steps.
            Came::Same => self.check = brought.bytes,
            Came::New | Came::Changed => {
                self.changes = self.changes.saturating_add(u32::from(came == Came::Changed));
                self.changed_ms = brought.at_ms;
                (self.fetch, self.text, self.exact) = (brought.bytes, brought.text, brought.exact);
            }
        }
        came
    }

    fn is_same(&self, brought: &Brought) -> bool {
        let is_near = self.text != 0
            && brought.text != 0
            && (self.text ^ brought.text).count_ones() <= NEAR_BITS;
        brought.is_same || !brought.any && is_near && self.exact == brought.exact
    }

    pub fn evidence(&self) -> &Evidence {
        self.habits.evidence()
    }

    /// Adds one line of a note, without its end. It is written for every page, so numbers do not go through `fmt`.
    pub fn write_line(&self, line: &mut String) {
        let Changes { visits, changes, visited_ms, changed_ms, fetch, check, .. } = *self;
        let mut digits = itoa::Buffer::new();
        for number in [visits.into(), changes.into(), visited_ms, changed_ms, fetch, check] {
            line.push_str(digits.format(number));
            line.push(' ');
        }
        for bits in [self.text, self.exact] {
            match bits {
                0 => line.push('0'),
                bits => write!(line, "{bits:x}").expect("a String takes it all"),
            }
            line.push(' ');
        }
        line.push_str(digits.format(self.found));
        for number in self.habits.numbers() {
            // Five digits are more than anybody knows.
            match number {
                0.0 => line.push_str(" 0"),
                number => write!(line, " {number:.4e}").expect("a String takes it all"),
            }
        }
    }

    /// `None` for what is no such line.
    pub fn from_line(line: &str) -> Option<Changes> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        let (visits, changes) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let (visited_ms, changed_ms) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let (fetch, check) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let text = u64::from_str_radix(next()?, 16).ok()?;
        let exact = u64::from_str_radix(next()?, 16).ok()?;
        let found = next()?.parse().ok()?;
        let mut numbers = [0.0; 5];
        for number in &mut numbers {
            *number = next()?.parse().ok()?;
        }
        let habits = Habits::restore(numbers);
        Some(Changes {
            visits,
            changes,
            visited_ms,
            changed_ms,
            fetch,
            check,
            text,
            exact,
            found,
            habits,
        })
    }
}

/// From one moment to a later one; negative the other way round.
pub fn days(from_ms: u64, to_ms: u64) -> f64 {
    (to_ms as f64 - from_ms as f64) / DAY_MS
}

pub fn millis(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: Belief = Belief { changes: 0.3, days: 9.0 };
    const DAY: u64 = 86_400_000;

    fn brought(at_ms: u64, text: u64) -> Brought {
        Brought { at_ms, bytes: 9000, text, ..Brought::default() }
    }

    #[test]
    fn a_counter_is_no_change_and_another_text_is() {
        let mut page = Changes::default();
        assert_eq!(page.learn(&brought(DAY, 0xff00), &SITE), Came::New);
        assert_eq!(page.learn(&brought(2 * DAY, 0xff03), &SITE), Came::Same);
        assert_eq!(page.learn(&brought(3 * DAY, 0xff1c), &SITE), Came::Same, "beside the first");
        assert_eq!(page.learn(&brought(4 * DAY, 0x00ff), &SITE), Came::Changed);
        assert_eq!((page.visits, page.changes, page.changed_ms), (4, 1, 4 * DAY));
        let any = Brought { any: true, ..brought(5 * DAY, 0x00fe) };
        assert_eq!(page.learn(&any, &SITE), Came::Changed);
        let other = Brought { exact: 7, ..brought(6 * DAY, 0x00fe) };
        assert_eq!(page.learn(&other, &SITE), Came::Changed, "another price");
        let same = Brought { is_same: true, bytes: 300, ..brought(7 * DAY, 0) };
        assert_eq!(page.learn(&same, &SITE), Came::Same);
        assert_eq!((page.fetch, page.check, page.text), (9000, 300, 0x00fe));
    }

    #[test]
    fn without_a_text_only_the_same_bytes_are_the_same() {
        let mut page = Changes::default();
        page.learn(&brought(DAY, 0), &SITE);
        assert_eq!(page.learn(&brought(2 * DAY, 0), &SITE), Came::Changed);
    }

    #[test]
    fn what_is_learnt_reads_back_as_written() {
        let mut page = Changes::default();
        for visit in 1..40 {
            page.learn(&brought(visit * visit * DAY, (visit % 5) << 20), &SITE);
        }
        page.found = 12;
        let line = |changes: &Changes| {
            let mut line = String::new();
            changes.write_line(&mut line);
            line
        };
        let read = Changes::from_line(&line(&page)).unwrap();
        assert!(line(&page).len() < 160, "{}", line(&page));
        assert_eq!(line(&read), line(&page));
        let (rate, kept) = (page.habits.belief(&SITE).rate(), read.habits.belief(&SITE).rate());
        assert!((rate / kept - 1.0).abs() < 1e-3, "{rate} {kept}");
        for spoiled in
            ["", "x", "1 2 3", "1 1 1 1 1 1 zz 0 0 0 0 0 0 0", "-1 0 0 0 0 0 0 0 0 0 0 0 0 0"]
        {
            assert_eq!(Changes::from_line(spoiled), None, "{spoiled}");
        }
        let odd = "1 1 1 1 1 1 0 0 0 NaN inf -1 0 0";
        assert!(Changes::from_line(odd).unwrap().habits.belief(&SITE).rate().is_finite());
    }
}
