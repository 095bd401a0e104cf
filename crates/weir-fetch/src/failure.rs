use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use thiserror::Error;

/// Why no response came. Each variant is something the crawl's policy may treat differently.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    #[error("{url:.200} cannot be fetched: {why}")]
    BadUrl { url: String, why: String },
    /// The name servers gave no answer, which says nothing about the name.
    #[error("looking up {host} failed: {why}")]
    Dns { host: String, why: String },
    /// The name servers say that there is no such name, or that it has no address.
    #[error("{host} has no address")]
    NoAddress { host: String },
    #[error("{host} has the private address {address}; --allow-private allows it")]
    Private { host: String, address: IpAddr },
    #[error("{address} ({host}) refused the connection")]
    Refused { host: String, address: SocketAddr },
    #[error("{address} ({host}) cannot be reached: {why}")]
    Unreachable { host: String, address: SocketAddr, why: String },
    #[error("{address} ({host}) did not take the connection in time")]
    ConnectTimeout { host: String, address: SocketAddr },
    #[error("no secure connection to {host}: {why}")]
    Tls { host: String, why: String },
    #[error("{address} ({host}) sent nothing in time")]
    FirstByteTimeout { host: String, address: SocketAddr },
    /// The head had begun, but did not end in time.
    #[error("{address} ({host}) did not finish the head of its answer in time")]
    IdleTimeout { host: String, address: SocketAddr },
    /// Before the head was whole; a connection lost later is a cut body.
    #[error("{address} ({host}) closed the connection before answering: {why}")]
    Closed { host: String, address: SocketAddr, why: String },
    /// What came is not HTTP, or breaks its rules so that the body's bounds are not certain.
    #[error("{address} ({host}) sent a bad answer: {why}")]
    BadResponse { host: String, address: SocketAddr, why: String },
    #[error("{address} ({host}) sent a head beyond the limit on size or number of headers")]
    HeadersTooLarge { host: String, address: SocketAddr },
}

/// Why a [`crate::Fetcher`] cannot be made.
#[derive(Debug, Error)]
pub enum SetupError {
    #[error("user agent {0:?} cannot be sent: use printable ASCII only")]
    UserAgent(String),
    #[error("certificate file {path} cannot be used: {why}")]
    Roots { path: PathBuf, why: String },
}
