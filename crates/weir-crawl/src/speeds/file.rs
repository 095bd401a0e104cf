//! `speeds.bin` (docs/formats/speeds.md). Losing it costs some good guesses and nothing else, so
//! it is not synced, and a damaged one is not an error.

use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use hashbrown::HashMap;
use jiff::Timestamp;
use thiserror::Error;
use weir_plan::speed::{Day, Speed};

use super::server::Server;
use crate::replace::replace;

/// The name of the file in the output folder.
pub const FILE: &str = "speeds.bin";

const MAGIC: &[u8; 8] = b"weirspd1";
const TABLE: usize = 48 * 4;
const RECORD: usize = 16 + 8 + 4 + 2 * TABLE;
const CHECK: usize = 4;

#[derive(Debug, Error)]
pub enum Unreadable {
    #[error("cannot be read ({0})")]
    Io(#[from] std::io::Error),
    #[error("it is damaged, or of another version")]
    Damaged,
}

/// Empty if there is no file.
pub fn read(path: &Path) -> Result<HashMap<IpAddr, Server>, Unreadable> {
    match fs::read(path) {
        Ok(bytes) => decode(&bytes).ok_or(Unreadable::Damaged),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(HashMap::new()),
        Err(why) => Err(why.into()),
    }
}

pub fn write(path: &Path, servers: &HashMap<IpAddr, Server>) -> std::io::Result<()> {
    replace(path, &encode(servers))
}

pub fn encode(servers: &HashMap<IpAddr, Server>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + servers.len() * RECORD + CHECK);
    bytes.extend_from_slice(MAGIC);
    for (address, server) in servers {
        let address = match address {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => *address,
        };
        bytes.extend_from_slice(&address.octets());
        bytes.extend_from_slice(&server.seen.as_second().to_le_bytes());
        bytes.extend_from_slice(&server.bytes.downloads().to_le_bytes());
        for speed in [&server.bytes, &server.seconds] {
            for value in [Day::Holiday, Day::Working].iter().flat_map(|day| speed.of(*day)) {
                bytes.extend_from_slice(&(*value as f32).to_le_bytes());
            }
        }
    }
    let check = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&check.to_le_bytes());
    bytes
}

pub fn decode(bytes: &[u8]) -> Option<HashMap<IpAddr, Server>> {
    let (rest, check) = bytes.split_last_chunk::<CHECK>()?;
    let records = rest.strip_prefix(MAGIC)?;
    let whole = records.len() % RECORD == 0 && crc32fast::hash(rest) == u32::from_le_bytes(*check);
    whole.then(|| records.chunks_exact(RECORD).filter_map(record).collect())
}

/// `None` if it makes no sense.
fn record(bytes: &[u8]) -> Option<(IpAddr, Server)> {
    let (address, rest) = bytes.split_first_chunk::<16>()?;
    let (seen, rest) = rest.split_first_chunk::<8>()?;
    let (downloads, tables) = rest.split_first_chunk::<4>()?;
    let downloads = u32::from_le_bytes(*downloads);
    let (first, second) = tables.split_at_checked(TABLE)?;
    let server = Server {
        bytes: table(first, downloads)?,
        seconds: table(second, downloads)?,
        seen: Timestamp::from_second(i64::from_le_bytes(*seen)).ok()?,
    };
    Some((IpAddr::V6(Ipv6Addr::from(*address)).to_canonical(), server))
}

/// All figures are above zero and no more than a file or a wait could ever be.
fn table(bytes: &[u8], downloads: u32) -> Option<Speed> {
    let (quads, _) = bytes.as_chunks::<4>();
    let mut values = quads.iter().map(|quad| f64::from(f32::from_le_bytes(*quad)));
    let mut hours = || {
        let mut hours = [0.0; 24];
        for hour in &mut hours {
            *hour = values.next().filter(|value| (1e-9..=1e18).contains(value))?;
        }
        Some(hours)
    };
    Some(Speed::restore(hours()?, hours()?, downloads))
}
