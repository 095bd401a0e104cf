use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;

const LIMIT: usize = 1 << 20;

fn text() -> Vec<u8> {
    (0..5000).flat_map(|line| format!("line {line} of a page\n").into_bytes()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn check(body: &[u8], coding: &str, expected: &[u8]) {
    let decoded = decode(body, Some(coding), LIMIT);
    assert_eq!(decoded.problem, None, "{coding}");
    assert!(!decoded.cut, "{coding}");
    assert!(*decoded.bytes == *expected, "{coding}");
}

#[test]
fn every_coding_is_undone() {
    let text = text();
    check(&text, "identity", &text);
    check(&text, "", &text);
    check(&gzip(&text), "gzip", &text);
    check(&gzip(&text), " X-GZIP ", &text);
    check(&zlib(&text), "deflate", &text);
    check(&deflate(&text), "deflate", &text);
    check(&zstd(&text), "zstd", &text);
    check(&gzip(&zlib(&text)), "deflate, gzip", &text);
    check(&zstd(&gzip(&text)), "gzip,identity,zstd", &text);
    check(&[gzip(b"one "), gzip(b"two")].concat(), "gzip", b"one two");
    check(&[zstd(b"one "), zstd(b"two")].concat(), "zstd", b"one two");
    check(b"", "gzip", b"");
}

#[test]
fn a_body_without_coding_is_not_copied() {
    assert!(matches!(decode(b"x", None, LIMIT).bytes, Cow::Borrowed(_)));
    assert!(matches!(decode(b"x", Some("identity"), LIMIT).bytes, Cow::Borrowed(_)));
}

#[test]
fn what_follows_the_last_gzip_member_is_ignored() {
    check(&[&gzip(b"page")[..], b"\0\0\0 trailing"].concat(), "gzip", b"page");
}

#[test]
fn a_broken_body_gives_what_came_before_the_break() {
    let text = text();
    for (coding, body) in [("gzip", gzip(&text)), ("deflate", zlib(&text))] {
        let decoded = decode(&body[..body.len() - body.len() / 4], Some(coding), LIMIT);
        assert!(decoded.problem.is_some(), "{coding}");
        assert!(!decoded.bytes.is_empty() && text.starts_with(&decoded.bytes), "{coding}");
    }
    // zstd gives whole blocks only, and here there is but one.
    let body = zstd(&text);
    let broken = &body[..body.len() / 2];
    let decoded = decode(broken, Some("zstd"), LIMIT);
    assert!(decoded.problem.is_some() && *decoded.bytes == *broken);
}

#[test]
fn a_mislabelled_body_comes_back_as_it_is() {
    for coding in ["gzip", "br", "zstd", "compress", "gzip, gzip"] {
        let decoded = decode(b"<html>plain text</html>", Some(coding), LIMIT);
        assert_eq!(&*decoded.bytes, b"<html>plain text</html>", "{coding}");
        assert!(decoded.problem.is_some(), "{coding}");
    }
    assert!(decode(b"x", Some("a,b,c,d,e,f"), LIMIT).problem.is_some());
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let zeros = vec![0; 8 << 20];
    for (coding, body) in [
        ("gzip", gzip(&zeros)),
        ("deflate", zlib(&zeros)),
        ("zstd", zstd(&zeros)),
        ("gzip, gzip", gzip(&gzip(&zeros))),
    ] {
        let decoded = decode(&body, Some(coding), LIMIT);
        assert!(decoded.cut, "{coding}");
        assert_eq!(decoded.bytes.len(), LIMIT, "{coding}");
        assert_eq!(decoded.problem, None, "{coding}");
    }
    assert!(!decode(&gzip(&vec![0; LIMIT]), Some("gzip"), LIMIT).cut, "the limit itself is fine");
    assert!(decode(&text(), None, 10).cut);
}

#[test]
fn damaged_bytes_never_panic() {
    let text = &text()[..800];
    for (coding, body) in [
        ("gzip", gzip(text)),
        ("deflate", zlib(text)),
        ("deflate", deflate(text)),
        ("zstd", zstd(text)),
    ] {
        for place in 0..body.len() {
            let mut damaged = body.clone();
            damaged[place] ^= 1 << (place % 8);
            decode(&damaged, Some(coding), LIMIT);
            decode(&body[..place], Some(coding), LIMIT);
        }
    }
    let mut seed = 1u64;
    for length in (0..2000).step_by(37) {
        let random: Vec<u8> = (0..length)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 56) as u8
            })
            .collect();
        for coding in ["gzip", "deflate", "br", "zstd"] {
            decode(&random, Some(coding), LIMIT);
        }
        let magic = [&[0x28, 0xb5, 0x2f, 0xfd][..], &random].concat();
        decode(&magic, Some("zstd"), LIMIT);
    }
}

#[test]
fn a_zstd_window_beyond_what_servers_may_ask_for_is_refused() {
    // Magic, no flags, the window, and a last block of one byte.
    let frame = |window: u8| [0x28, 0xb5, 0x2f, 0xfd, 0, window, 0b1001, 0, 0, b'x'];
    let eight_mib = (23 - 10) << 3;
    check(&frame(eight_mib), "zstd", b"x");
    for larger in [eight_mib + 1, (26 - 10) << 3, 0xff] {
        assert!(decode(&frame(larger), Some("zstd"), LIMIT).problem.is_some(), "{larger:#x}");
    }
}

/// The decoder would fill such a window, of 1 GiB here, before it gives out anything.
#[test]
fn a_brotli_window_that_no_http_has_is_refused() {
    let decoded = decode(&[0x11, 30, 0, 0, 0, 0, 0, 0], Some("br"), LIMIT);
    assert!(decoded.problem.is_some_and(|why| why.contains("window")));
}
