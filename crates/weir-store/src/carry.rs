use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_types::codec::{Reader, put_bytes, put_number};
use weir_types::{Cut, Protocol};

use crate::Packed;
use crate::digest::Digest;
use crate::warc::{Date, Exchange, RecordId};

const VERSION: u8 = 1;

/// As bytes, for whoever must keep a page until it may enter the store. Fields that have a fixed
/// size come first, then four strings of bytes with their lengths.
impl Packed {
    /// Appends the page to `out`; [`Packed::decode`] takes exactly these bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let Exchange { url, id, date, digest, head, address, protocol, cut } = &self.exchange;
        out.push(VERSION);
        out.push(protocol_code(*protocol));
        out.push(cut_code(*cut));
        out.push(kept_code(self.kept));
        out.push(u8::from(self.may_repeat));
        put_simhash(out, self.simhash);
        put_address(out, *address);
        out.extend_from_slice(&id.0.to_le_bytes());
        out.extend_from_slice(&date.0.to_le_bytes());
        out.extend_from_slice(digest.as_bytes());
        put_number(out, self.response_len as u64);
        for bytes in [url.as_bytes(), head, &self.members, &self.row] {
            put_bytes(out, bytes);
        }
    }

    /// `None` for anything but the bytes of one page. No length is believed before that many bytes
    /// are there, so what is taken from the memory is at most as much as `bytes` has.
    pub fn decode(bytes: &[u8]) -> Option<Packed> {
        let mut rest = Reader::new(bytes);
        if rest.byte()? != VERSION {
            return None;
        }
        let protocol = protocol(rest.byte()?)?;
        let cut = cut(rest.byte()?)?;
        let kept = kept(rest.byte()?)?;
        let may_repeat = flag(rest.byte()?)?;
        let simhash = read_simhash(&mut rest)?;
        let address = read_address(&mut rest)?;
        let id = RecordId(u128::from_le_bytes(rest.array()?));
        let date = Date(i64::from_le_bytes(rest.array()?));
        let digest = Digest::from_bytes(rest.array()?);
        let response_len = usize::try_from(rest.number()?).ok()?;
        let url = rest.text()?.to_owned();
        let head = rest.bytes()?.to_vec();
        let members = rest.bytes()?.to_vec();
        let row = rest.bytes()?.to_vec();
        let exchange = Exchange { url, id, date, digest, head, address, protocol, cut };
        let whole = rest.is_empty() && response_len <= members.len();
        whole.then_some(Packed { exchange, members, response_len, row, may_repeat, simhash, kept })
    }
}

fn protocol_code(protocol: Protocol) -> u8 {
    match protocol {
        Protocol::Http10 => 0,
        Protocol::Http11 => 1,
        Protocol::Http2 => 2,
    }
}

fn protocol(code: u8) -> Option<Protocol> {
    [Protocol::Http10, Protocol::Http11, Protocol::Http2].get(usize::from(code)).copied()
}

fn cut_code(cut: Option<Cut>) -> u8 {
    match cut {
        None => 0,
        Some(Cut::Length) => 1,
        Some(Cut::Time) => 2,
        Some(Cut::Disconnect) => 3,
    }
}

fn cut(code: u8) -> Option<Option<Cut>> {
    let all = [None, Some(Cut::Length), Some(Cut::Time), Some(Cut::Disconnect)];
    all.get(usize::from(code)).copied()
}

fn kept_code(kept: Option<bool>) -> u8 {
    match kept {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    }
}

fn kept(code: u8) -> Option<Option<bool>> {
    [None, Some(false), Some(true)].get(usize::from(code)).copied()
}

fn flag(code: u8) -> Option<bool> {
    [false, true].get(usize::from(code)).copied()
}

fn put_simhash(out: &mut Vec<u8>, simhash: Option<u64>) {
    out.push(u8::from(simhash.is_some()));
    if let Some(simhash) = simhash {
        out.extend_from_slice(&simhash.to_le_bytes());
    }
}

/// The number of its bytes, then these.
fn put_address(out: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(address) => {
            out.push(4);
            out.extend_from_slice(&address.octets());
        }
        IpAddr::V6(address) => {
            out.push(16);
            out.extend_from_slice(&address.octets());
        }
    }
}

fn read_simhash(from: &mut Reader<'_>) -> Option<Option<u64>> {
    match flag(from.byte()?)? {
        true => from.array().map(u64::from_le_bytes).map(Some),
        false => Some(None),
    }
}

fn read_address(from: &mut Reader<'_>) -> Option<IpAddr> {
    match from.byte()? {
        4 => from.array::<4>().map(|octets| Ipv4Addr::from(octets).into()),
        16 => from.array::<16>().map(|octets| Ipv6Addr::from(octets).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn exchange() -> impl Strategy<Value = Exchange> {
        let bytes = proptest::collection::vec(any::<u8>(), 0..300);
        let cut = prop_oneof![Just(Cut::Length), Just(Cut::Time), Just(Cut::Disconnect)];
        let protocol =
            prop_oneof![Just(Protocol::Http10), Just(Protocol::Http11), Just(Protocol::Http2)];
        let fixed = (any::<u128>(), any::<i64>(), any::<[u8; 20]>(), any::<IpAddr>());
        (".{0,40}", bytes, fixed, protocol, option::of(cut)).prop_map(
            |(url, head, (id, date, digest, address), protocol, cut)| Exchange {
                url,
                id: RecordId(id),
                date: Date(date),
                digest: Digest::from_bytes(digest),
                head,
                address,
                protocol,
                cut,
            },
        )
    }

    fn packed() -> impl Strategy<Value = Packed> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..300);
        let facts = (any::<bool>(), option::of(any::<u64>()), option::of(any::<bool>()));
        (exchange(), bytes(), any::<prop::sample::Index>(), bytes(), facts).prop_map(
            |(exchange, members, response, row, (may_repeat, simhash, kept))| Packed {
                response_len: response.index(members.len() + 1),
                exchange,
                members,
                row,
                may_repeat,
                simhash,
                kept,
            },
        )
    }

    fn encoded(packed: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        packed.encode(&mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn a_page_comes_back_as_it_was(packed in packed()) {
            prop_assert_eq!(Packed::decode(&encoded(&packed)), Some(packed));
        }

        #[test]
        fn a_page_that_is_cut_or_has_more_is_refused(
            packed in packed(),
            cut in any::<prop::sample::Index>(),
            more in any::<u8>(),
        ) {
            let mut bytes = encoded(&packed);
            prop_assert_eq!(Packed::decode(&bytes[..cut.index(bytes.len())]), None);
            bytes.push(more);
            prop_assert_eq!(Packed::decode(&bytes), None);
        }

        /// What is taken is something that would be written the same way, so nothing of it is lost.
        #[test]
        fn a_spoiled_page_is_taken_for_another_or_refused(
            packed in packed(),
            place in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = encoded(&packed);
            let place = place.index(bytes.len());
            bytes[place] = byte;
            if let Some(other) = Packed::decode(&bytes) {
                prop_assert!(other.response_len <= other.members.len());
                prop_assert_eq!(Packed::decode(&encoded(&other)), Some(other));
            }
        }
    }
}
