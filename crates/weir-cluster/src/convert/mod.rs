//! Between what the crawl works with and what goes over the wire. Whatever comes in may have been
//! written by anybody: it is checked here, once, and refused as [`Odd`].

mod grants;
mod job;
mod links;
mod outcome;
mod servers;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use thiserror::Error;

use crate::wire;

pub use grants::{note_in_force, to_grant};
pub use job::{Taken, page_ticket, take_job, ticket_job, to_job};
pub use outcome::{said, to_outcome};
pub use servers::{server_grant, server_words, to_server_grant, to_server_words};

/// Something that no right peer says.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{what} in a message is wrong ({value:?}): the other side has another version, or is not weir"
)]
pub struct Odd {
    pub what: &'static str,
    pub value: String,
}

/// What is shown of a wrong value.
const SHOWN: usize = 80;

impl Odd {
    pub fn new(what: &'static str, value: impl std::fmt::Display) -> Odd {
        let value = value.to_string().chars().take(SHOWN).collect();
        Odd { what, value }
    }
}

fn to_address(address: &SocketAddr) -> wire::Address {
    let ip = match address.ip() {
        IpAddr::V4(ip) => Bytes::copy_from_slice(&ip.octets()),
        IpAddr::V6(ip) => Bytes::copy_from_slice(&ip.octets()),
    };
    wire::Address { ip, port: u32::from(address.port()) }
}

fn address(address: &wire::Address) -> Result<SocketAddr, Odd> {
    let odd = || Odd::new("an address", format!("{:?}:{}", address.ip, address.port));
    let port = u16::try_from(address.port).map_err(|_| odd())?;
    let ip = match address.ip.len() {
        4 => <[u8; 4]>::try_from(&address.ip[..]).map(IpAddr::from).map_err(|_| odd())?,
        16 => <[u8; 16]>::try_from(&address.ip[..]).map(IpAddr::from).map_err(|_| odd())?,
        _ => return Err(odd()),
    };
    Ok(SocketAddr::new(ip, port))
}

fn addresses(all: &[wire::Address]) -> Result<Vec<SocketAddr>, Odd> {
    const MOST: usize = 256;
    if all.len() > MOST {
        return Err(Odd::new("the number of addresses", all.len()));
    }
    all.iter().map(address).collect()
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Nobody asks for longer rests, and sums of times must not overflow.
fn bounded_ms(ms: u64) -> Duration {
    const MOST: u64 = 366 * 24 * 3600 * 1000;
    Duration::from_millis(ms.min(MOST))
}

fn bounded_us(us: u64) -> Duration {
    const MOST: u64 = 24 * 3600 * 1_000_000;
    Duration::from_micros(us.min(MOST))
}
