use crate::Rng;

/// Bytes that end, open or escape something somewhere.
const ODD: &[u8] = b"\0\x01\x7f\x80\xfe\xff \t\r\n\"'#$%&*+,-./:;<=>?@[]\\{|}09azAZ";

/// Numbers at which something overflows somewhere.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "00",
    "127",
    "255",
    "256",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e309",
    "0x10",
    "1.5",
    "99999999999999999999999999999999999999",
];

/// A spoiled copy of one of `seeds`.
pub fn input(seeds: &[Vec<u8>], words: &[&str], most: usize, random: &mut Rng) -> Vec<u8> {
    let mut bytes = one_of(seeds, random).clone();
    // Mostly little is changed, so that what follows the change is still read.
    let changes = 1 + random.u8(..).leading_zeros();
    for _ in 0..changes {
        change(&mut bytes, seeds, words, random);
        bytes.truncate(most);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], random: &mut Rng) {
    match random.u8(..13) {
        0 => flip(bytes, random),
        1 => overwrite(bytes, random),
        2 => {
            let range = range(bytes, random);
            bytes.drain(range);
        }
        3 => {
            let length = random.usize(..=bytes.len());
            bytes.truncate(length);
        }
        4 => repeat(bytes, random),
        5 => swap(bytes, random),
        6 => {
            let other = one_of(seeds, random);
            let part = other[range(other, random)].to_vec();
            put(bytes, &part, random);
        }
        7 => number(bytes, random),
        8 => {
            let odd: Vec<u8> = (0..random.usize(1..9)).map(|_| *one_of(ODD, random)).collect();
            put(bytes, &odd, random);
        }
        9 => {
            let noise: Vec<u8> = (0..random.usize(1..17)).map(|_| random.u8(..)).collect();
            put(bytes, &noise, random);
        }
        10 => binary_number(bytes, random),
        _ if words.is_empty() => flip(bytes, random),
        _ => put(bytes, one_of(words, random).as_bytes(), random),
    }
}

fn flip(bytes: &mut [u8], random: &mut Rng) {
    if let Some(byte) = random.choice(bytes) {
        *byte ^= 1 << random.u8(..8);
    }
}

fn overwrite(bytes: &mut [u8], random: &mut Rng) {
    let odd = if random.bool() { *one_of(ODD, random) } else { random.u8(..) };
    if let Some(byte) = random.choice(bytes) {
        *byte = odd;
    }
}

fn repeat(bytes: &mut Vec<u8>, random: &mut Rng) {
    let range = range(bytes, random);
    let times = 1 << random.u8(..11);
    let part = bytes[range.clone()].repeat(times.min((1 << 17) / range.len().max(1)));
    bytes.splice(range.end..range.end, part);
}

fn swap(bytes: &mut Vec<u8>, random: &mut Rng) {
    let range = range(bytes, random);
    let part: Vec<u8> = bytes.drain(range).collect();
    put(bytes, &part, random);
}

/// Another number in the place of one that is there.
fn number(bytes: &mut Vec<u8>, random: &mut Rng) {
    let start = random.usize(..=bytes.len());
    let Some(at) = bytes[start..].iter().position(u8::is_ascii_digit) else { return };
    let start = start + at;
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..start + digits, one_of(NUMBERS, random).bytes());
}

/// The same for numbers that are not written in digits: some bytes become the least or the most
/// that they can say, or nearly.
fn binary_number(bytes: &mut [u8], random: &mut Rng) {
    let length = 1 << random.u8(..4);
    let Some(last) = bytes.len().checked_sub(length) else { return };
    let at = random.usize(..=last);
    let most = u64::MAX >> (64 - 8 * length);
    let number = [0, 1, most, most - 1, most / 2, most / 2 + 1][random.usize(..6)];
    bytes[at..at + length].copy_from_slice(&number.to_le_bytes()[..length]);
}

/// Between what is there, or over it.
fn put(bytes: &mut Vec<u8>, part: &[u8], random: &mut Rng) {
    let at = random.usize(..=bytes.len());
    let over = if random.bool() { part.len().min(bytes.len() - at) } else { 0 };
    bytes.splice(at..at + over, part.iter().copied());
}

/// Short ones are likelier.
fn range(bytes: &[u8], random: &mut Rng) -> std::ops::Range<usize> {
    let start = random.usize(..=bytes.len());
    let most = (bytes.len() - start).min(1 << random.u8(..16));
    start..start + random.usize(..=most)
}

fn one_of<'a, T>(all: &'a [T], random: &mut Rng) -> &'a T {
    &all[random.usize(..all.len())]
}
