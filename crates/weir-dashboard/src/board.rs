//! What was shown of the crawl, for whoever asks: the state, what has changed since when, and the last minutes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;
use weir_crawl::View;

use crate::delta::Rows;
use crate::rates::{Rates, Told};
use crate::state::{self, Head, Role, State, to_the_second};
use crate::verdict::verdict;

pub struct Board {
    inner: Mutex<Inner>,
    /// The number of the last state.
    seq: watch::Sender<u64>,
}

#[derive(Default)]
struct Inner {
    state: State,
    view: Option<Arc<View>>,
    rows: Rows,
    rates: Rates,
    at: Option<Timestamp>,
}

impl Board {
    pub fn new(name: &str, is_service: bool) -> Board {
        let head = Head {
            name: name.to_owned(),
            is_service,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            now: now(),
            started: now(),
            ..Head::default()
        };
        let inner = Inner { state: State { head, sites: Vec::new() }, ..Inner::default() };
        Board { inner: Mutex::new(inner), seq: watch::Sender::new(0) }
    }

    /// The crawl looks like this now.
    pub fn put(&self, view: &Arc<View>) {
        let mut inner = self.inner();
        inner.put(view);
        let seq = inner.state.head.seq;
        drop(inner);
        self.seq.send_replace(seq);
    }

    /// The crawl has ended by itself, for this reason.
    pub fn fail(&self, why: &str) {
        let mut inner = self.inner();
        let head = &mut inner.state.head;
        head.seq += 1;
        head.phase = state::Phase::Failed;
        head.verdict.text = format!("It could not go on: {why}");
        head.verdict.level = state::Level::Late;
        let seq = head.seq;
        drop(inner);
        self.seq.send_replace(seq);
    }

    /// Tells when there is a new state.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.seq.subscribe()
    }

    pub fn state(&self, role: Role) -> State {
        let mut state = self.inner().state.clone();
        state.head.role = role;
        state.head.now = now();
        state
    }

    pub fn view(&self) -> Option<Arc<View>> {
        self.inner().view.clone()
    }

    /// The number of the state, and what has changed after state `since`. A number that was never told is that of
    /// another run of this program.
    pub fn since(&self, since: u64, role: Role) -> (u64, Value) {
        let inner = self.inner();
        let mut head = inner.state.head.clone();
        head.role = role;
        let since = if since > head.seq { 0 } else { since };
        let mut value = serde_json::to_value(&head).unwrap_or_default();
        value["sites"] = Value::from(inner.rows.since(since));
        (head.seq, value)
    }

    pub fn rates(&self, seconds: u32) -> (Told, String) {
        let inner = self.inner();
        (inner.rates.tell(seconds), inner.state.head.now.clone())
    }

    /// What is in it is whole whenever somebody lets go of it.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn put(&mut self, view: &Arc<View>) {
        let report = &view.report;
        let seconds = self.at.map_or(0.0, |at| view.at.duration_since(at).as_secs_f64());
        self.at = Some(view.at);
        let bytes = report.sites.iter().map(|site| (site.site.as_str(), site.bytes_wire));
        let total = report.rate.unwrap_or(0.0);
        let rates = self.rates.put(bytes, report.limit, total, seconds);
        let rows = report.sites.iter().zip(&view.sites).zip(rates).enumerate();
        let sites: Vec<state::Site> =
            rows.map(|(id, ((site, more), rate))| state::site(id, site, more, rate)).collect();
        let before = &self.state.head;
        let seq = before.seq + 1;
        let head = Head {
            seq,
            now: now(),
            version: before.version.clone(),
            name: before.name.clone(),
            role: before.role,
            is_service: before.is_service,
            phase: state::phase(view),
            started: to_the_second(&report.started),
            finished: report.finished.as_deref().map(to_the_second),
            elapsed_s: (report.elapsed_s * 10.0).round() / 10.0,
            verdict: verdict(view, &sites),
            totals: state::totals(view),
            intake: state::intake(view),
            finish: state::finishing(view),
            downloaders: report.downloaders.iter().map(state::downloader).collect(),
            errors: state::errors(view),
            warnings: report.warnings.iter().rev().take(WARNINGS).cloned().collect(),
            troubles: report.troubles.clone(),
        };
        self.rows.put(&sites, seq);
        self.state = State { head, sites };
        self.view = Some(view.clone());
    }
}

/// Warnings that are told, the newest first.
const WARNINGS: usize = 20;

fn now() -> String {
    to_the_second(&Timestamp::now().to_string())
}
