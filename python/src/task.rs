use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use serde_json::{Value, json};
use tokio::sync::watch;
use weir_crawl::{HandedOn, Progress, Stop, Traveller};
use weir_frontier::UrlKind;
use weir_spark::{Bounds, Cascade, Done, Files, Task, TaskError, read, run, run_held};

use crate::bank::Lease;
use crate::failed;

/// (url, parent, depth, redirects, kind, lastmod_s, promise)
type Row = (String, Option<String>, u32, u32, String, Option<u32>, u8);

/// Crawls one bucket in one round; returns what came of it, as JSON. `watch(pages, bytes, rate)` is
/// called a few times a second, and may raise.
#[pyfunction]
#[pyo3(signature = (*, settings, roots, bucket, buckets, label, folder, arrived, nearer, again, lease=None,
    depth=None, pages=None, bytes=None, seconds=None, tries_failed=false, watch=None))]
#[expect(clippy::too_many_arguments, reason = "they have names where it is called")]
pub fn run_task(
    py: Python<'_>,
    settings: String,
    roots: Option<Vec<u8>>,
    bucket: u32,
    buckets: u32,
    label: String,
    folder: PathBuf,
    arrived: Vec<Row>,
    nearer: Vec<(String, u32)>,
    again: Vec<String>,
    lease: Option<PyRef<'_, Lease>>,
    depth: Option<u32>,
    pages: Option<u64>,
    bytes: Option<u64>,
    seconds: Option<f64>,
    tries_failed: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<String> {
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let mut arrived: Vec<Traveller> = arrived.into_iter().map(traveller).collect();
    // Of several ways to a URL the first one counts.
    arrived.sort_by(|one, other| (one.depth, &one.parent).cmp(&(other.depth, &other.parent)));
    let task = Task {
        settings: HandedOn { settings, roots },
        bucket,
        buckets,
        label,
        dir: folder,
        arrived,
        nearer,
        again,
        bounds: Bounds { depth, pages, bytes, time },
        tries_failed,
        shaper: None,
    };
    let held = lease.as_ref().and_then(|lease| lease.0.as_ref());
    let mut raised = None;
    let done = py.detach(|| {
        let (stop, stopping) = watch::channel(Stop::No);
        let mut tell = |progress: &Progress| {
            if let Some(watch) = &watch
                && let Err(why) = Python::attach(|py| say(py, watch, progress))
            {
                raised = Some(why);
                stop.send_replace(Stop::Now);
            }
        };
        match held {
            Some(held) => run_held(task, held, stopping, &mut tell),
            None => run(task, stopping, &mut tell),
        }
    });
    match raised {
        Some(why) => Err(why),
        None => Ok(told(&done.map_err(failed)?).to_string()),
    }
}

fn say(py: Python<'_>, watch: &Py<PyAny>, progress: &Progress) -> PyResult<()> {
    watch.call1(py, (progress.pages, progress.bytes_wire)).map(|_| ())
}

fn traveller(row: Row) -> Traveller {
    let (url, parent, depth, redirects, kind, lastmod_s, promise) = row;
    let kind = if kind == "sitemap" { UrlKind::Sitemap } else { UrlKind::Page };
    Traveller { url, parent, depth, redirects, kind, lastmod_s, promise }
}

fn told(done: &Done) -> Value {
    let Done { report, files, .. } = done;
    let Files { pages, warc, links, seen, outbox, nearer, unfollowed } = files;
    json!({
        "files": {
            "pages": pages, "warc": warc, "links": links, "seen": seen,
            "outbox": outbox, "nearer": nearer, "unfollowed": unfollowed,
        },
        "waiting": done.waiting,
        "next_due_ms": done.next_due_ms,
        "leaving": done.leaving,
        "nearer": done.nearer,
        "unfollowed": done.unfollowed,
        "read": done.read,
        "ahead": done.ahead,
        "came": {
            "new": done.came.new,
            "unchanged": done.came.unchanged,
            "changed": done.came.changed,
        },
        "log_was": done.log_was,
        "log_is": done.log_is,
        "totals": {
            "pages": report.pages,
            "fetches": report.fetches,
            "failed": report.failed,
            "urls_known": report.urls_known,
            "bytes_wire": report.bytes_wire,
            "bytes_body": report.bytes_body,
            "skipped": report.skipped,
        },
    })
}

/// What is known of pages and links, and what follows from pages that are nearer.
#[pyclass(name = "Cascade")]
#[derive(Default)]
pub struct Following(Cascade);

#[pymethods]
impl Following {
    #[new]
    fn new() -> Following {
        Following::default()
    }

    /// A stream of Arrow with `url` and `depth`.
    fn pages(&mut self, py: Python<'_>, stream: &[u8]) -> PyResult<()> {
        let take = || read(stream)?.iter().try_for_each(|batch| self.0.pages(batch));
        py.detach(take).map_err(|why: TaskError| failed(why))
    }

    /// The same with `url`, `target` and `kind`.
    fn links(&mut self, py: Python<'_>, stream: &[u8]) -> PyResult<()> {
        let take = || read(stream)?.iter().try_for_each(|batch| self.0.links(batch));
        py.detach(take).map_err(|why: TaskError| failed(why))
    }

    /// What follows for other URLs from pages that are nearer now (`begin`), or may be (`arrived`). Returns
    /// pages that are nearer, and ways to other URLs: (url, parent, depth). Nothing is known afterwards.
    #[expect(clippy::type_complexity, reason = "plain rows on both sides")]
    fn follow(
        &mut self,
        py: Python<'_>,
        begin: Vec<(String, u32)>,
        arrived: Vec<(String, u32)>,
    ) -> (Vec<(String, u32)>, Vec<(String, Option<String>, u32)>) {
        py.detach(|| {
            let followed = std::mem::take(&mut self.0).follow(&begin, &arrived);
            let ways = followed.ways.into_iter().map(|way| (way.url, way.parent, way.depth));
            (followed.nearer, ways.collect())
        })
    }
}
