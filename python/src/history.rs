//! The history of pages in batches: streams of Arrow in and out.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_crawl::HandedOn;
use weir_spark::{Pages, Sites, TaskError, read, write};

use crate::{failed, wrong};

type Batch = arrow_array::RecordBatch;

/// Learns from the visits of pages: `take` for each batch, in order, then `end`.
#[pyclass]
pub struct PageHistory(Pages);

#[pymethods]
impl PageHistory {
    #[new]
    fn new(settings: String) -> PyResult<PageHistory> {
        Pages::new(&HandedOn { settings, roots: None }).map(PageHistory).map_err(wrong)
    }

    fn take<'py>(&mut self, py: Python<'py>, stream: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        each(py, stream, |batch| self.0.take(batch))
    }

    fn end<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        last(py, self.0.end())
    }
}

/// Learns what the pages of sites are like, the same way.
#[pyclass]
pub struct SiteHistory(Sites);

#[pymethods]
impl SiteHistory {
    /// `everywhere` is what the function of this name returned.
    #[new]
    fn new(everywhere: Vec<(f64, f64)>) -> SiteHistory {
        SiteHistory(Sites::new(&everywhere))
    }

    fn take<'py>(&mut self, py: Python<'py>, stream: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        each(py, stream, |batch| self.0.take(batch))
    }

    fn end<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        last(py, self.0.end())
    }
}

/// What pages are like everywhere, by a sample of (changes, days).
#[pyfunction]
pub fn everywhere(py: Python<'_>, sample: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    py.detach(|| weir_spark::everywhere(&sample))
}

/// What a visit of each page gains now.
#[pyfunction]
pub fn worth<'py>(
    py: Python<'py>,
    stream: &[u8],
    now_ms: u64,
    buckets: u32,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    each(py, stream, |batch| weir_spark::worth(batch, now_ms, buckets))
}

fn each<'py>(
    py: Python<'py>,
    stream: &[u8],
    mut act: impl FnMut(&Batch) -> Result<Batch, TaskError> + Send,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let told = py.detach(|| -> Result<Vec<Vec<u8>>, TaskError> {
        read(stream)?.iter().map(|batch| write(&act(batch)?)).collect()
    });
    Ok(told.map_err(failed)?.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
}

fn last<'py>(py: Python<'py>, batch: Result<Batch, TaskError>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = batch.and_then(|batch| write(&batch)).map_err(failed)?;
    Ok(PyBytes::new(py, &bytes))
}
