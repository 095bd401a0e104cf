use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{Asked, HostSpec, Script, Spec, Visit, Web};

use crate::support::command::{Ended, crawl};
use crate::support::outcome::{report, why};

/// One host, watched, and a folder to crawl it into.
pub struct Site {
    pub web: Web,
    pub out: TempDir,
}

/// Times are kept in whole milliseconds, on both sides.
pub const SLACK: Duration = Duration::from_millis(5);
/// A crawl that takes longer hangs.
const BOUND: Duration = Duration::from_secs(150);

impl Site {
    pub fn new(host: HostSpec) -> Site {
        let web = Web::start(Spec::new(vec![host.watched()])).unwrap();
        Site { web, out: tempfile::tempdir().unwrap() }
    }

    /// What `answer` has no script for answers 404.
    pub fn scripted(answer: impl Fn(&Asked<'_>) -> Option<Script> + Send + Sync + 'static) -> Site {
        Site::new(HostSpec::scripted(move |asked| {
            Some(answer(asked).unwrap_or_else(|| Script::answer(404, "", "")))
        }))
    }

    /// Crawls to the end, and well.
    pub fn crawl(&self, flags: &[&str]) -> Ended {
        let ended = crawl(&self.web.seeds(), self.out.path(), flags).wait_within(BOUND);
        ended.expect_code(0);
        ended
    }

    pub fn visits(&self) -> Vec<Visit> {
        self.web.visits(0)
    }

    /// Paths in the order they were asked for.
    pub fn paths(&self) -> Vec<String> {
        self.visits().into_iter().map(|visit| visit.path).collect()
    }

    pub fn asked(&self, path: &str) -> usize {
        self.visits().iter().filter(|visit| visit.path == path).count()
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.web.seeds()[0].trim_end_matches('/'))
    }

    pub fn why(&self, path: &str) -> String {
        why(self.out.path(), &self.url(path))
    }

    pub fn report(&self) -> Value {
        report(self.out.path())
    }

    pub fn expect_all_pages(&self) {
        let missing: Vec<String> = self.web.missing().take(5).collect();
        assert!(missing.is_empty(), "never handed over: {missing:?}");
    }
}

/// From the end of each answer to the next request, whatever was asked for.
pub fn gaps(visits: &[Visit]) -> Vec<Duration> {
    let gap = |pair: &[Visit]| pair[1].at.saturating_sub(pair[0].ended.unwrap());
    visits.windows(2).map(gap).collect()
}

/// The most requests that were under way at a time.
pub fn most_at_once(visits: &[Visit]) -> usize {
    let under_way = |at: Duration| {
        visits.iter().filter(|it| it.at <= at && it.ended.is_none_or(|end| end > at)).count()
    };
    visits.iter().map(|visit| under_way(visit.at)).max().unwrap_or(0)
}

/// A page with these links.
pub fn page<'a>(links: impl IntoIterator<Item = &'a str>) -> Script {
    let links = links.into_iter().map(|link| format!("<a href=\"{link}\">{link}</a>\n"));
    Script::html(links.collect::<String>())
}
