use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weir_crawl::{Config, HandedOn, Settings};

use crate::bank::Limit;
use crate::wrong;

/// Checks the settings of a crawl: `file` is the text of a `weir.toml` with its `path`, or empty, and
/// `flags`, a text of the same form, goes before it. Returns what the driver and its tasks need. Who comes
/// back (`recrawl`) may have a budget for that.
#[pyfunction]
#[pyo3(signature = (file, path, flags, recrawl=false))]
pub fn prepare<'py>(
    py: Python<'py>,
    file: &str,
    path: &str,
    flags: &str,
    recrawl: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let below = match file.is_empty() {
        true => Settings::default(),
        false => Settings::parse(file, Path::new(path)).map_err(wrong)?,
    };
    let settings = Settings::parse(flags, Path::new("the command line")).map_err(wrong)?;
    let settings = Settings { file: None, ..settings }.over(below);
    refuse(&settings, recrawl)?;
    let config = Config::try_from(settings.clone()).map_err(wrong)?;
    let handed = HandedOn::of_part(&settings, &config.seeds).map_err(wrong)?;
    let prepared = PyDict::new(py);
    prepared.set_item("settings", handed.settings)?;
    prepared.set_item("roots", handed.roots)?;
    let canonical = |seed: &url::Url| weir_parse::canonical(seed);
    prepared.set_item("seeds", config.seeds.iter().map(canonical).collect::<Vec<_>>())?;
    let sitemaps: Vec<_> = config.sitemap_urls.iter().map(canonical).collect();
    prepared.set_item("sitemaps", sitemaps)?;
    prepared.set_item("depth", config.depth)?;
    prepared.set_item("max_pages", config.max_pages)?;
    prepared.set_item("max_bytes", config.max_bytes)?;
    prepared.set_item("freshness", config.freshness)?;
    prepared.set_item("limit", config.limit.clone().map(Limit))?;
    prepared.set_item("out", settings.out.map(|out| out.display().to_string()))?;
    prepared.set_item("warc", config.store.warc)?;
    prepared.set_item("notices", config.notices)?;
    Ok(prepared)
}

/// What nobody would keep on Spark, with what to do instead.
fn refuse(settings: &Settings, recrawl: bool) -> PyResult<()> {
    let has_site =
        |has: fn(&weir_crawl::SiteSettings) -> bool| settings.site.iter().flatten().any(has);
    let has_deadline = settings.typed_due.is_some()
        || settings.within.is_some()
        || settings.by.is_some()
        || has_site(|site| site.within.is_some() || site.by.is_some() || site.every.is_some());
    let has_sinks = settings.sink.as_ref().is_some_and(|sinks| !sinks.is_empty());
    for (is_there, key, remedy) in [
        (has_sinks, "sink", "write the DataFrame of pages where you want it"),
        (settings.store_to.is_some(), "store-to", "give `--out` a URI of the store"),
        (settings.budget.is_some(), "budget", "a budget is kept by `weir crawl` only"),
        (has_deadline, "within", "deadlines are kept by `weir crawl` and `weir scheduler` only"),
        (
            has_site(|site| site.limit.is_some()),
            "limit of a [[site]]",
            "its hosts may be in several tasks; limit all of it, or give the site a `delay`",
        ),
        (
            has_site(|site| site.max_pages.is_some() || site.max_bytes.is_some()),
            "max-pages or max-bytes of a [[site]]",
            "its hosts may be in several tasks; bound all of it, or the site's `depth`",
        ),
        (settings.repeat == Some(true), "repeat", "start the job again when it is time"),
        (settings.freshness.is_some() && !recrawl, "freshness", "use `weir-spark recrawl`"),
    ] {
        if is_there {
            return Err(wrong(format!("`{key}` has no meaning on Spark: {remedy}")));
        }
    }
    Ok(())
}
