use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::due::Due;

/// What was promised when the crawl was first started: moments, by name. A crawl that is started
/// again keeps them, unless it is told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Promises {
    started: Option<Timestamp>,
    sites: BTreeMap<String, Promise>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Promise {
    /// As it was written then.
    written: Due,
    due: Timestamp,
}

impl Promises {
    /// The moment by which a site is to be done, settled when it is first asked for. Who writes
    /// something else later means it; a length of time still counts from the first start, or from
    /// `began` if that is when the present round did.
    pub fn due(
        &mut self,
        name: &str,
        written: Due,
        began: Option<Timestamp>,
        zone: &TimeZone,
    ) -> Timestamp {
        if let Some(promise) = self.sites.get(name).filter(|promise| promise.written == written) {
            return promise.due;
        }
        let start = match written {
            Due::Within(_) => {
                began.unwrap_or_else(|| *self.started.get_or_insert_with(Timestamp::now))
            }
            Due::Clock(_) | Due::At(_) => Timestamp::now(),
        };
        self.renew(name, written, start, zone)
    }

    /// Another promise for the same site, whose next round begins at `start`.
    pub fn renew(
        &mut self,
        name: &str,
        written: Due,
        start: Timestamp,
        zone: &TimeZone,
    ) -> Timestamp {
        let due = written.moment(start, zone);
        self.sites.insert(name.to_owned(), Promise { written, due });
        due
    }

    pub fn len(&self) -> usize {
        self.sites.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_stays_until_something_else_is_written() {
        let start: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let mut promises = Promises { started: Some(start), ..Promises::default() };
        let hour = Due::within("1h").unwrap();
        let first = promises.due("a", hour, None, &TimeZone::UTC);
        assert_eq!(first, "2026-11-16T13:00:00Z".parse().unwrap());
        // What is kept over a restart is all there is.
        let kept = serde_json::to_vec(&promises).unwrap();
        let mut again: Promises = serde_json::from_slice(&kept).unwrap();
        assert_eq!(again, promises);
        assert_eq!(again.due("a", hour, None, &TimeZone::UTC), first);
        let longer = again.due("a", Due::within("2h").unwrap(), None, &TimeZone::UTC);
        assert_eq!(longer, "2026-11-16T14:00:00Z".parse().unwrap(), "from the first start");
        let noon = Due::by("12:00").unwrap();
        let clock = again.due("b", noon, None, &TimeZone::UTC);
        assert_eq!(again.due("b", noon, None, &TimeZone::UTC), clock);
        assert!(clock > Timestamp::now(), "the next one");
        let round: Timestamp = "2026-11-17T12:00:00Z".parse().unwrap();
        let renewed = again.renew("a", hour, round, &TimeZone::UTC);
        assert_eq!(again.due("a", hour, Some(round), &TimeZone::UTC), renewed);
        let longer = again.due("a", Due::within("2h").unwrap(), Some(round), &TimeZone::UTC);
        assert_eq!(longer, "2026-11-17T14:00:00Z".parse().unwrap(), "from the round's beginning");
    }
}
