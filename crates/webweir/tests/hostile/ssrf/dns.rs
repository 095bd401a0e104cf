use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::thread;

/// A name server on 127.0.0.1 that the rest of this network uses, until the process ends.
///
/// `answer` is given a name and how often its addresses of this kind were asked for before.
pub fn serve(answer: impl Fn(&str, u32) -> Vec<IpAddr> + Send + 'static) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 53)).unwrap();
    thread::spawn(move || {
        let mut asked: HashMap<(String, u16), u32> = HashMap::new();
        let mut packet = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut packet) {
            let Some((name, kind, end)) = question(&packet[..length]) else { continue };
            let times = asked.entry((name.clone(), kind)).or_default();
            let addresses = answer(&name, *times);
            *times += 1;
            let reply = reply(&packet[..end], kind, &addresses);
            socket.send_to(&reply, from).unwrap();
        }
    });
}

const A: u16 = 1;
const AAAA: u16 = 28;
const HEADER: usize = 12;

/// The name and kind that are asked for, and where the question ends.
fn question(packet: &[u8]) -> Option<(String, u16, usize)> {
    let (mut labels, mut at) = (Vec::new(), HEADER);
    while *packet.get(at)? > 0 {
        let end = at + 1 + usize::from(packet[at]);
        labels.push(String::from_utf8_lossy(packet.get(at + 1..end)?).to_lowercase());
        at = end;
    }
    let kind = u16::from_be_bytes(*packet.get(at + 1..)?.first_chunk()?);
    Some((labels.join("."), kind, at + 5))
}

/// The question again, and behind it the addresses of its kind, to be forgotten at once.
fn reply(question: &[u8], kind: u16, addresses: &[IpAddr]) -> Vec<u8> {
    let records: Vec<Vec<u8>> =
        addresses.iter().filter_map(|address| record(kind, address)).collect();
    let mut reply = question.to_vec();
    // An answer, recursion done, no error; one question, so many answers, and nothing else.
    reply[2..4].copy_from_slice(&[0x81, 0x80]);
    reply[4..HEADER].copy_from_slice(&[0, 1, 0, records.len() as u8, 0, 0, 0, 0]);
    records.iter().for_each(|record| reply.extend_from_slice(record));
    reply
}

fn record(kind: u16, address: &IpAddr) -> Option<Vec<u8>> {
    let data = match (kind, address) {
        (A, IpAddr::V4(address)) => address.octets().to_vec(),
        (AAAA, IpAddr::V6(address)) => address.octets().to_vec(),
        _ => return None,
    };
    let name = [0xc0, HEADER as u8]; // "the name in the question"
    let [high, low] = kind.to_be_bytes();
    let rest = [high, low, 0, 1, 0, 0, 0, 0, 0, data.len() as u8];
    Some([&name[..], &rest, &data].concat())
}
