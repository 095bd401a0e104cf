use std::time::{Duration, Instant};

use crate::run::{BOUND, Cluster};
use crate::support::command::Weir;
use crate::support::{wait_until, wait_until_within};

/// A scheduler and its downloaders that run.
pub struct Team<'a> {
    cluster: &'a Cluster,
    /// None as long as it is gone.
    scheduler: Option<Weir>,
    downloaders: Vec<(String, Weir)>,
}

/// A downloader that came back when the scheduler had just ended is not told that all is done.
const END_WITHIN: Duration = Duration::from_secs(5);

impl Team<'_> {
    pub fn start<'a>(cluster: &'a Cluster, names: &[&str]) -> Team<'a> {
        let scheduler = Some(cluster.scheduler());
        let mut team = Team { cluster, scheduler, downloaders: Vec::new() };
        names.iter().for_each(|name| team.join(name));
        team
    }

    pub fn join(&mut self, name: &str) {
        self.downloaders.push((name.to_owned(), self.cluster.downloader(name)));
    }

    pub fn scheduler(&mut self) -> &mut Weir {
        self.scheduler.as_mut().expect("it runs")
    }

    pub fn wait_for(&mut self, more: u64) {
        let cluster = self.cluster;
        cluster.wait_for(more, self.scheduler());
    }

    pub fn of(&self, name: &str) -> &Weir {
        let found = self.downloaders.iter().find(|it| it.0 == name);
        &found.expect("it has joined").1
    }

    /// It is no longer one of them.
    pub fn take(&mut self, name: &str) -> Weir {
        let at = self.downloaders.iter().position(|it| it.0 == name);
        self.downloaders.remove(at.expect("it has joined")).1
    }

    pub fn take_scheduler(&mut self) -> Weir {
        self.scheduler.take().expect("it runs")
    }

    pub fn restart_scheduler(&mut self) {
        self.restart_scheduler_with(&[]);
    }

    pub fn restart_scheduler_with(&mut self, more: &[&str]) {
        self.scheduler = Some(self.cluster.scheduler_with(more));
    }

    /// Waits until the crawl is done, and everybody with it.
    pub fn end(mut self) {
        self.take_scheduler().wait_within(BOUND).expect_code(0);
        self.downloaders.into_iter().for_each(|(name, weir)| end(&name, weir));
    }

    /// The same, where the scheduler may have to be started again for those who were away.
    pub fn end_at_last(mut self) {
        for _ in 0..5 {
            let scheduler = self.scheduler();
            let mut status = None;
            wait_until_within(BOUND, "the crawl to end", || {
                status = scheduler.ended();
                status.is_some()
            });
            match status.and_then(|status| status.code()) {
                Some(0) => return self.end(),
                Some(4) => self.restart_scheduler(),
                other => panic!("{other:?}: {}", scheduler.said()),
            }
        }
        panic!("it always ended with something to do: {}", self.scheduler().said());
    }
}

fn end(name: &str, mut weir: Weir) {
    let begun = Instant::now();
    wait_until("a downloader to end", || weir.ended().is_some() || begun.elapsed() > END_WITHIN);
    if weir.ended().is_none() {
        weir.signal("TERM");
    }
    let ended = weir.wait_within(BOUND);
    assert_eq!(ended.code, Some(0), "downloader {name}: {}", ended.stderr);
}
