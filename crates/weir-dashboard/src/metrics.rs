//! The crawl in numbers, for Prometheus: made of the same report as everything else, when somebody asks.

use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram as Told, LabelPair, Metric, MetricFamily, MetricType,
};
use prometheus::{Encoder, TextEncoder};
use weir_crawl::{BOUNDS_S, Finish, Histogram, Skipped, View};

/// Sites that have numbers of their own; where there are more, those with most bytes.
const MOST_SITES: usize = 2_000;

/// In the text format, version 0.0.4.
pub fn text(view: &View) -> Vec<u8> {
    let mut families = families(view);
    families.retain(|family| !family.get_metric().is_empty());
    let mut text = Vec::new();
    TextEncoder::new().encode(&families, &mut text).expect("writing into memory does not fail");
    text
}

/// What a metric is.
pub struct Described {
    pub name: String,
    /// `counter`, `gauge` or `histogram`.
    pub kind: String,
    pub help: String,
    pub labels: Vec<String>,
}

/// Every metric there is, also those of which this crawl has no value; labels only of those of which it has one.
pub fn described(view: &View) -> Vec<Described> {
    let labels = |family: &MetricFamily| {
        let first = family.get_metric().first().map(|metric| metric.get_label().iter());
        first.into_iter().flatten().map(|label| label.name().to_owned()).collect()
    };
    let describe = |family: &MetricFamily| Described {
        name: family.name().to_owned(),
        kind: format!("{:?}", family.get_field_type()).to_lowercase(),
        help: family.help().to_owned(),
        labels: labels(family),
    };
    families(view).iter().map(describe).collect()
}

fn families(view: &View) -> Vec<MetricFamily> {
    let mut families = totals(view);
    families.extend(sites(view));
    families.extend(downloaders(view));
    families
}

fn totals(view: &View) -> Vec<MetricFamily> {
    let report = &view.report;
    let skipped =
        skipped(&report.skipped).map(|(reason, count)| (vec![("reason", reason)], count as f64));
    let outcomes =
        view.counts.outcomes.iter().map(|(kind, count)| (vec![("outcome", *kind)], *count as f64));
    let errors = view
        .counts
        .errors
        .iter()
        .map(|(kind, error)| (vec![("kind", kind.as_str())], error.count as f64));
    let rate = report.rate.unwrap_or(0.0);
    vec![
        counter("weir_pages_total", "Pages that were kept.", one(report.pages)),
        counter(
            "weir_fetches_total",
            "Requests that were made, robots.txt included.",
            one(report.fetches),
        ),
        counter("weir_failed_total", "URLs that could not be had.", one(report.failed)),
        counter(
            "weir_received_bytes_total",
            "Bytes received, robots.txt and sitemaps included, as report.json has them.",
            one(report.bytes_wire),
        ),
        counter("weir_body_bytes_total", "Bytes of bodies, decoded.", one(report.bytes_body)),
        counter("weir_skipped_total", "URLs that were found and left out.", skipped),
        counter("weir_outcomes_total", "What came of requests for pages, in this run.", outcomes),
        counter("weir_errors_total", "What went wrong, by kind, in this run.", errors),
        counter(
            "weir_planning_seconds_total",
            "Processor time that went into plans.",
            single(report.planning_s),
        ),
        counter("weir_deadlines_met_total", "Deadlines that were kept.", one(report.deadlines.met)),
        counter(
            "weir_deadlines_missed_total",
            "Deadlines that were missed.",
            one(report.deadlines.missed),
        ),
        gauge("weir_urls_known", "URLs that are known.", one(report.urls_known)),
        gauge("weir_urls_waiting", "URLs that wait or are under way.", one(report.urls_waiting)),
        gauge("weir_requests_under_way", "Requests that are under way.", one(view.in_flight)),
        gauge("weir_hosts", "Hosts that are known.", one(view.hosts as u64)),
        gauge("weir_sites", "Sites that are known.", one(report.sites.len() as u64)),
        gauge(
            "weir_rate_bytes_per_second",
            "Received in the last second, packet headers included.",
            single(rate),
        ),
        gauge(
            "weir_limit_bytes_per_second",
            "What may be received; absent without a limit.",
            report.limit.map(|limit| (vec![], limit as f64)),
        ),
        gauge(
            "weir_peak_bytes_per_second",
            "The fastest second.",
            report.peak_1s.map(|peak| (vec![], peak)),
        ),
        gauge("weir_deadlines", "Deadlines of sites.", one(view.deadlines as u64)),
        gauge(
            "weir_deadlines_at_risk",
            "Deadlines that will be missed, or may be.",
            one(at_risk(view)),
        ),
        gauge(
            "weir_elapsed_seconds",
            "How long the crawl has taken, over all runs.",
            single(report.elapsed_s),
        ),
        gauge(
            "weir_running",
            "1 while it runs.",
            one(u64::from(report.outcome == Finish::Running)),
        ),
        histogram(
            "weir_first_byte_seconds",
            "From a request to the first byte of its answer.",
            &view.counts.first_byte,
        ),
        histogram(
            "weir_answer_seconds",
            "From a request to the last byte, without what we held it back.",
            &view.counts.whole,
        ),
    ]
}

fn at_risk(view: &View) -> u64 {
    let dated =
        view.report.sites.iter().zip(&view.sites).filter(|(site, _)| site.deadline.is_some());
    dated.filter(|(_, more)| more.danger).count() as u64
}

fn sites(view: &View) -> Vec<MetricFamily> {
    let mut order: Vec<usize> = (0..view.report.sites.len().min(view.sites.len())).collect();
    order.sort_by_key(|at| std::cmp::Reverse(view.report.sites[*at].bytes_wire));
    order.truncate(MOST_SITES);
    let name = |at: &usize| vec![("site", view.report.sites[*at].site.as_str())];
    let of = |value: &dyn Fn(usize) -> f64| -> Vec<(Labels, f64)> {
        order.iter().map(|at| (name(at), value(*at))).collect()
    };
    let report = |at: usize| &view.report.sites[at];
    let late = order
        .iter()
        .filter(|at| report(**at).deadline.is_some())
        .map(|at| (name(at), f64::from(u8::from(view.sites[*at].danger))));
    vec![
        counter(
            "weir_site_pages_total",
            "Pages of a site that were kept.",
            of(&|at| report(at).pages as f64),
        ),
        counter(
            "weir_site_received_bytes_total",
            "Bytes received from a site.",
            of(&|at| report(at).bytes_wire as f64),
        ),
        counter(
            "weir_site_failed_total",
            "URLs of a site that could not be had.",
            of(&|at| report(at).failed as f64),
        ),
        gauge(
            "weir_site_share_bytes_per_second",
            "What the plan gives a site.",
            of(&|at| view.sites[at].share),
        ),
        gauge(
            "weir_site_urls_known",
            "URLs of a site that are known.",
            of(&|at| view.sites[at].known as f64),
        ),
        gauge(
            "weir_site_urls_done",
            "URLs of a site that are settled.",
            of(&|at| view.sites[at].done as f64),
        ),
        gauge(
            "weir_site_predicted_bytes",
            "What a site brings in all.",
            of(&|at| report(at).predicted_bytes.unwrap_or(0) as f64),
        ),
        gauge("weir_site_at_risk", "1 if the deadline of a site will be missed, or may be.", late),
    ]
}

fn downloaders(view: &View) -> Vec<MetricFamily> {
    let all = &view.report.downloaders;
    let of = |value: &dyn Fn(&weir_crawl::DownloaderReport) -> f64| -> Vec<(Labels, f64)> {
        all.iter()
            .map(|one| {
                (vec![("downloader", one.name.as_str()), ("id", one.id.as_str())], value(one))
            })
            .collect()
    };
    vec![
        gauge(
            "weir_downloader_connected",
            "1 while a downloader is there.",
            of(&|one| f64::from(u8::from(one.connected))),
        ),
        gauge(
            "weir_downloader_rate_bytes_per_second",
            "What a downloader receives.",
            of(&|one| one.rate),
        ),
        gauge(
            "weir_downloader_under_way",
            "Jobs that a downloader has.",
            of(&|one| f64::from(one.under_way)),
        ),
        counter(
            "weir_downloader_pages_total",
            "Pages that a downloader has brought.",
            of(&|one| one.pages as f64),
        ),
    ]
}

type Labels<'a> = Vec<(&'static str, &'a str)>;

fn one(number: u64) -> [(Labels<'static>, f64); 1] {
    single(number as f64)
}

fn single(number: f64) -> [(Labels<'static>, f64); 1] {
    [(Vec::new(), number)]
}

fn skipped(skipped: &Skipped) -> impl Iterator<Item = (&'static str, u64)> {
    [
        ("robots", skipped.robots),
        ("scope", skipped.scope),
        ("trap", skipped.trap),
        ("private", skipped.private),
        ("depth", skipped.depth),
        ("other", skipped.other),
    ]
    .into_iter()
}

fn counter<'a>(
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (Labels<'a>, f64)>,
) -> MetricFamily {
    let metrics = values.into_iter().map(|(labels, value)| {
        let mut counter = Counter::default();
        counter.set_value(value);
        let mut metric = Metric::from_label(pairs(&labels));
        metric.set_counter(counter);
        metric
    });
    family(name, help, MetricType::COUNTER, metrics.collect())
}

fn gauge<'a>(
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (Labels<'a>, f64)>,
) -> MetricFamily {
    let metrics = values.into_iter().map(|(labels, value)| {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        let mut metric = Metric::from_label(pairs(&labels));
        metric.set_gauge(gauge);
        metric
    });
    family(name, help, MetricType::GAUGE, metrics.collect())
}

fn histogram(name: &str, help: &str, times: &Histogram) -> MetricFamily {
    let mut sum = 0;
    let buckets = BOUNDS_S.iter().zip(&times.counts).map(|(bound, count)| {
        sum += count;
        let mut bucket = Bucket::default();
        bucket.set_upper_bound(*bound);
        bucket.set_cumulative_count(sum);
        bucket
    });
    let mut told = Told::default();
    told.set_bucket(buckets.collect());
    told.set_sample_count(times.count());
    told.set_sample_sum(times.sum_s);
    let mut metric = Metric::default();
    metric.set_histogram(told);
    family(name, help, MetricType::HISTOGRAM, vec![metric])
}

fn pairs(labels: &Labels) -> Vec<LabelPair> {
    let pair = |(name, value): &(&'static str, &str)| {
        let mut pair = LabelPair::default();
        pair.set_name((*name).to_owned());
        pair.set_value((*value).to_owned());
        pair
    };
    labels.iter().map(pair).collect()
}

fn family(name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) -> MetricFamily {
    let mut family = MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    family.set_metric(metrics);
    family
}
