use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_cluster::bank::{Answer, Claim, Held, Teller};
use weir_cluster::{InitOptions, init};
use weir_crawl::Calendar;

use crate::{failed, wrong};

/// The limit of a crawl, which may be another one at another hour.
#[pyclass(frozen)]
#[derive(Clone)]
pub struct Limit(pub Calendar);

#[pymethods]
impl Limit {
    /// Bytes a second at this moment; infinite for none.
    fn now(&self) -> f64 {
        self.0.rate_at(jiff::Timestamp::now()).bytes()
    }
}

/// In the driver: leases buckets and bandwidth to tasks.
#[pyclass(frozen)]
pub struct Bank(weir_cluster::bank::Bank);

#[pymethods]
impl Bank {
    /// `listen` is an address with a port, 0 for any; beyond loopback `keys` is needed.
    #[new]
    #[pyo3(signature = (listen, keys=None, limit=None))]
    fn new(listen: &str, keys: Option<PathBuf>, limit: Option<PyRef<'_, Limit>>) -> PyResult<Bank> {
        let listen: SocketAddr = listen.parse().map_err(wrong)?;
        let limit = limit.map(|limit| limit.clone());
        let cap = limit.map(|limit| Box::new(move || limit.now()) as Box<dyn Fn() -> f64 + Send>);
        let bank = weir_cluster::bank::Bank::open(listen, keys.as_deref(), cap);
        bank.map(Bank).map_err(failed)
    }

    fn port(&self) -> u16 {
        self.0.address().port()
    }

    fn begin_round(&self, round: u32, buckets: u32) {
        self.0.begin_round(round, buckets);
    }

    /// (tasks, pages, bytes, bytes a second) of this round.
    fn doing(&self) -> (usize, u64, f64, f64) {
        let doing = self.0.doing();
        (doing.tasks, doing.pages, doing.bytes, doing.rate)
    }
}

/// Makes keys for a bank that is called by `name`, in a folder of their own.
#[pyfunction]
pub fn make_keys(folder: PathBuf, name: String) -> PyResult<Vec<PathBuf>> {
    let options = InitOptions { force: false, keep_ca_key: false };
    let now = std::time::SystemTime::now();
    let made = init(&folder, &[name], options, now).map_err(failed)?;
    Ok(made.files.iter().map(|file| made.dir.join(file)).collect())
}

/// What was leased to a task: a bucket, and its part of the limit. It goes back when this is dropped.
#[pyclass]
pub struct Lease(pub Option<Held>);

#[pymethods]
impl Lease {
    /// The bank has noted the result when this returns.
    fn finish(&mut self, py: Python<'_>, result: Vec<u8>) -> PyResult<()> {
        let Some(held) = self.0.take() else { return Err(failed("it was handed in before")) };
        py.detach(|| held.finish(&result)).map_err(failed)
    }
}

/// In a task: asks the bank for a bucket. Returns the result if another attempt has finished it, as
/// bytes, or a lease, for which it waits as long as another attempt is at work.
#[pyfunction]
#[pyo3(signature = (url, round, bucket, attempt, patience_s, keys=None))]
pub fn claim(
    py: Python<'_>,
    url: &str,
    round: u32,
    bucket: u32,
    attempt: [u8; 16],
    patience_s: f64,
    keys: Option<PathBuf>,
) -> PyResult<Py<PyAny>> {
    let patience = Duration::try_from_secs_f64(patience_s).map_err(wrong)?;
    let claim = Claim { round, bucket, attempt };
    let answer = py.detach(|| Teller::claim(url, keys.as_deref(), claim, patience));
    match answer.map_err(failed)? {
        Answer::Done(result) => Ok(PyBytes::new(py, &result).into_any().unbind()),
        Answer::Begin(held) => Ok(Py::new(py, Lease(Some(held)))?.into_any()),
    }
}
