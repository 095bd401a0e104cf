//! What is known of pages by their rows in the table of pages, for who has no notes of them: the same is learnt
//! from them as from the visits themselves.

use weir_plan::refresh::Prior;
use weir_types::{Fingerprint, NOT_MODIFIED};

use super::{Brought, Summary, compared};
use crate::Config;
use crate::scope::origin;
use crate::visit::{LONGEST, Visit};

/// A visit, as its row has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitRow<'a> {
    pub at_ms: u64,
    pub status: u16,
    /// `bytes_wire`.
    pub bytes: u64,
    pub digest: &'a str,
    pub etag: Option<&'a str>,
    pub last_modified: Option<&'a str>,
    /// `simhash`.
    pub text: Option<u64>,
    /// `fields`, in whatever form, as long as that is the same each time.
    pub fields: &'a str,
    pub final_url: Option<&'a str>,
}

/// A page and what its rows have told so far, from the first to the last.
#[derive(Clone, Debug)]
pub struct Learnt {
    any_change: bool,
    visit: Option<Visit>,
    /// When it was visited for the second time: what was found on it since is news.
    pub second_ms: Option<u64>,
}

const OK: u16 = 200;

impl Learnt {
    /// `config` says what a change is.
    pub fn new(config: &Config, site: &str, url: &str) -> Learnt {
        let any_change = config.site(site, origin(url)).any_change;
        Learnt { any_change, visit: None, second_ms: None }
    }

    pub fn see(&mut self, row: &VisitRow<'_>) {
        let earlier = self.visit.take();
        if earlier.is_some() && self.second_ms.is_none() {
            self.second_ms = Some(row.at_ms);
        }
        let is_known = earlier.as_ref().is_some_and(Visit::has_validators);
        let brought = Brought {
            at_ms: row.at_ms,
            bytes: row.bytes,
            text: row.text.unwrap_or(0),
            exact: row.exact(),
            is_same: row.status == NOT_MODIFIED && is_known,
            any: self.any_change,
            modified_ms: None,
        };
        let site = Prior::default();
        let (visit, _) = compared(brought, Some(row.visit()), earlier, None, site.belief());
        self.visit = visit;
    }

    /// `None` before the first visit.
    pub fn summary(&self) -> Option<Summary> {
        self.visit.as_ref().map(Summary::of)
    }
}

impl VisitRow<'_> {
    fn visit(&self) -> Visit {
        let text = |text: Option<&str>| {
            let text = text.map(str::trim).filter(|text| !text.is_empty() && text.len() <= LONGEST);
            text.filter(|_| self.status == OK).map(str::to_owned)
        };
        Visit {
            at_ms: self.at_ms,
            etag: text(self.etag),
            last_modified: text(self.last_modified),
            digest: self.digest.to_owned(),
            ..Visit::default()
        }
    }

    /// What is compared to the letter: fields, and where it leads if it is no page.
    fn exact(&self) -> u64 {
        let leads = match (OK..300).contains(&self.status) {
            true => String::new(),
            false => format!("{} {}", self.status, self.final_url.unwrap_or_default()),
        };
        match self.fields.is_empty() && leads.is_empty() {
            true => 0,
            false => Fingerprint::of(&format!("{}\n{leads}", self.fields)).0 as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    const DAY: u64 = 86_400_000;

    fn learnt(changes: &str) -> Learnt {
        let (urls, changes) = (Some(vec!["http://a.example/".into()]), Some(changes.to_owned()));
        let settings = Settings { urls, changes, ..Settings::default() };
        let config = Config::try_from(settings).unwrap();
        Learnt::new(&config, "a.example", "http://a.example/x")
    }

    fn row(day: u64, digest: &str, text: u64) -> VisitRow<'_> {
        let (at_ms, text) = (day * DAY, Some(text));
        VisitRow { at_ms, status: 200, bytes: 9000, digest, text, ..VisitRow::default() }
    }

    fn summary(changes: &str, rows: &[VisitRow<'_>]) -> Summary {
        let mut learnt = learnt(changes);
        rows.iter().for_each(|row| learnt.see(row));
        learnt.summary().unwrap()
    }

    #[test]
    fn rows_tell_changes_as_visits_do() {
        let etag = Some("\"1\"");
        let first = VisitRow { etag, ..row(1, "sha1:A", 0xff00) };
        let not_modified = VisitRow { status: 304, bytes: 300, ..row(2, "sha1:A", 0) };
        let near = row(3, "sha1:B", 0xff01);
        let other = row(4, "sha1:C", 0x00ff);
        let all = [first, not_modified, near, other];
        let of = summary("text", &all);
        assert_eq!((of.visits, of.changes, of.visited_ms), (4, 1, 4 * DAY));
        assert_eq!((of.fetch, of.check, of.has_validators), (9000, 9000, false));
        assert_eq!(summary("any", &all).changes, 2);
        let early = summary("text", &all[..2]);
        assert_eq!((early.check, early.has_validators, early.evidence.days), (300, true, 1.0));
    }

    #[test]
    fn another_price_or_target_is_a_change_and_the_same_bytes_are_none() {
        let price = |day, fields| VisitRow { fields, ..row(day, "sha1:A", 0xff00) };
        assert_eq!(summary("text", &[price(1, "1.99"), price(2, "2.99")]).changes, 1);
        assert_eq!(summary("text", &[price(1, "1.99"), price(2, "1.99")]).changes, 0);
        let leads = |day, target| {
            let (status, final_url) = (302, Some(target));
            VisitRow { status, final_url, text: None, ..row(day, "sha1:A", 0) }
        };
        assert_eq!(summary("text", &[leads(1, "/a"), leads(2, "/b")]).changes, 1);
        assert_eq!(summary("text", &[leads(1, "/a"), leads(2, "/a")]).changes, 0);
    }

    #[test]
    fn what_is_found_since_the_second_visit_is_news() {
        let mut learnt = learnt("text");
        assert_eq!(learnt.summary(), None);
        (1..=3).for_each(|day| learnt.see(&row(day, "sha1:A", 0xff00)));
        assert_eq!(learnt.second_ms, Some(2 * DAY));
    }
}
