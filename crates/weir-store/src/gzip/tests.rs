use std::io::Read;

use proptest::prelude::*;

use super::fast::Fast;
use super::{Effort, Gzip};

/// Two inflaters that share no code with ours nor with each other must give the bytes back.
fn check(gzip: &mut Gzip, plain: &[u8]) -> usize {
    let mut member = b"before".to_vec();
    let length = gzip.member(plain, Effort::Squeeze, &mut member);
    let member = &member[6..];
    assert_eq!(member.len(), length);
    let mut zlib = Vec::new();
    let mut rest = flate2::bufread::GzDecoder::new(member);
    rest.read_to_end(&mut zlib).unwrap();
    assert!(rest.into_inner().is_empty(), "the member ends where it says");
    assert!(zlib == plain, "zlib reads something else");
    let mut other = vec![0; plain.len()];
    let read = libdeflater::Decompressor::new().gzip_decompress(member, &mut other).unwrap();
    assert!(read == plain.len() && other == plain, "libdeflate reads something else");
    assert!(length <= plain.len() + plain.len() / 1000 + 64, "{length} of {}", plain.len());
    length
}

/// Our coder alone, whatever it is fed: deflate that zlib and libdeflate read, or a refusal.
fn check_fast(fast: &mut Fast, plain: &[u8]) -> bool {
    let mut out = vec![0; Fast::bound(plain.len())];
    let Some(length) = fast.deflate(plain, &mut out) else { return false };
    assert!(length <= plain.len() / 2 + 1);
    let mut zlib = Vec::new();
    flate2::read::DeflateDecoder::new(&out[..length]).read_to_end(&mut zlib).unwrap();
    assert!(zlib == plain, "zlib reads something else");
    let mut other = vec![0; plain.len()];
    let mut decompressor = libdeflater::Decompressor::new();
    assert_eq!(decompressor.deflate_decompress(&out[..length], &mut other), Ok(plain.len()));
    assert!(other == plain, "libdeflate reads something else");
    true
}

fn words(seed: u64, length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let known: Vec<String> =
        (0..500).map(|_| (0..random.usize(1..12)).map(|_| random.lowercase()).collect()).collect();
    let mut text = Vec::with_capacity(length + 40);
    while text.len() < length {
        let word = &known[random.usize(..known.len())];
        match random.u8(..8) {
            0 => text.extend_from_slice(format!("<a href=\"/{word}.html\">{word}</a>").as_bytes()),
            _ => text.extend_from_slice(format!("{word} ").as_bytes()),
        }
    }
    text.truncate(length);
    text
}

#[test]
fn a_member_of_any_length_is_read_back() {
    let gzip = &mut Gzip::new();
    for length in (0..40).chain(1000..1100).chain(65_500..65_600).chain(131_050..131_090) {
        check(gzip, &words(length as u64, length));
    }
    for length in [100_000, 1_000_000, 16 << 20] {
        assert!(check(gzip, &words(1, length)) < length / 2);
    }
}

#[test]
fn bytes_of_any_kind_are_read_back() {
    let gzip = &mut Gzip::new();
    let fast = &mut Fast::new();
    for length in [1, 2, 255, 256, 4096, 65_535, 65_536, 65_537, 300_000] {
        let mut random = fastrand::Rng::with_seed(length as u64);
        for plain in [
            vec![0; length],
            vec![b'a'; length],
            (0..length).map(|place| place as u8).collect(),
            (0..length).map(|_| random.u8(..)).collect(),
            (0..length).map(|_| random.u8(..2)).collect(),
            "\u{416}\u{4e2d}\u{1f600}<p>".bytes().cycle().take(length).collect(),
        ] {
            check(gzip, &plain);
            check_fast(fast, &plain);
        }
    }
}

/// Matches of every length at every distance up to the farthest that deflate knows, and beyond.
#[test]
fn every_length_and_distance_is_read_back() {
    let fast = &mut Fast::new();
    let mut random = fastrand::Rng::with_seed(3);
    for length in (4..40).chain(250..270) {
        for distance in [1, 2, 3, 4, 5, 7, 300, 4097, 24_577, 32_767, 32_768, 32_769, 40_000] {
            let start = distance.min(270);
            let mut plain: Vec<u8> = (0..start).map(|_| random.alphanumeric() as u8).collect();
            plain.resize(distance, b' ');
            for place in 0..length {
                plain.push(plain[place]);
            }
            plain.extend_from_slice(b"!?");
            // Enough of one letter that the whole becomes half as long and is not refused.
            plain.resize(plain.len() + 4096, b' ');
            assert!(check_fast(fast, &plain), "{length} {distance}");
        }
    }
}

#[test]
fn html_goes_through_the_fast_coder_and_little_else_does() {
    let page = words(7, 27_000);
    assert!(Fast::suits(&page));
    assert!(check_fast(&mut Fast::new(), &page));
    assert!(!Fast::suits(&page[..900]), "too short for its own codes");
    assert!(!Fast::suits("\u{43f}\u{430}".repeat(5000).as_bytes()), "not in ASCII");
    assert!(!check_fast(&mut Fast::new(), b""), "nothing cannot become half as long");
    let noise: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..128)).take(30_000).collect();
    assert!(!check_fast(&mut Fast::new(), &noise), "it did not become half as long");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Pieces taken from what stands before, and new ones between: all lengths and distances.
    #[test]
    fn whatever_repeats_is_read_back(
        pieces in prop::collection::vec((any::<prop::sample::Index>(), 0usize..400, prop::collection::vec(32u8..127, 0..12)), 1..400),
    ) {
        let mut plain = b"<html>".to_vec();
        for (from, length, new) in &pieces {
            let from = from.index(plain.len());
            for place in from..from + length {
                plain.push(plain[place]);
            }
            plain.extend_from_slice(new);
        }
        check(&mut Gzip::new(), &plain);
        check_fast(&mut Fast::new(), &plain);
    }

    #[test]
    fn whatever_bytes_are_read_back(plain in prop::collection::vec(any::<u8>(), 0..5000)) {
        check(&mut Gzip::new(), &plain);
        check_fast(&mut Fast::new(), &plain);
    }
}
