//! The core of the Python package `webweir`: registers and converts, and decides nothing. What is
//! done is in `weir-spark` and `weir-crawl`; who calls it is `webweir/spark`.

mod bank;
mod history;
mod settings;
mod task;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

#[pymodule]
fn _webweir(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(settings::prepare, module)?)?;
    module.add_function(wrap_pyfunction!(task::run_task, module)?)?;
    module.add_class::<task::Following>()?;
    module.add_function(wrap_pyfunction!(bucket_of, module)?)?;
    module.add_function(wrap_pyfunction!(bank::claim, module)?)?;
    module.add_function(wrap_pyfunction!(bank::make_keys, module)?)?;
    module.add_class::<bank::Bank>()?;
    module.add_class::<bank::Lease>()?;
    module.add_class::<bank::Limit>()?;
    module.add_class::<history::PageHistory>()?;
    module.add_class::<history::SiteHistory>()?;
    module.add_function(wrap_pyfunction!(history::everywhere, module)?)?;
    module.add_function(wrap_pyfunction!(history::worth, module)?)?;
    module.add("LONGEST_DAYS", weir_plan::refresh::LONGEST)?;
    module.add("LOOKS_AGAIN", weir_plan::refresh::LOOKS_AGAIN)?;
    Ok(())
}

/// The bucket that the host of a canonical URL belongs to.
#[pyfunction]
fn bucket_of(url: &str, buckets: u32) -> u32 {
    weir_crawl::bucket_of(url, buckets)
}

/// The user can mend it.
fn wrong(why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

fn failed(why: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(why.to_string())
}
