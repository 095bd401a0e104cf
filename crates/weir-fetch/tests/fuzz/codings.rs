use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use weir_fetch::coding::decode;
use weir_fuzz::{Fuzz, peak_of};

const LIMIT: usize = 1 << 18;
const CODINGS: [&str; 8] =
    ["gzip", "deflate", "br", "zstd", "gzip, gzip", "zstd, br", "x-gzip,identity", "zstd,deflate"];

/// "hello", as brotli writes what it does not compress.
const BROTLI: &[u8] = b"\x0b\x02\x80hello\x03";

fn seeds() -> Vec<Vec<u8>> {
    let page: String = (0..400).map(|line| format!("<p>line {line} of a page</p>\n")).collect();
    let mut seeds = vec![BROTLI.to_vec()];
    for text in [page.as_bytes(), b"short", b"", &[0; 100_000]] {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(text).unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(text).unwrap();
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::none());
        deflate.write_all(text).unwrap();
        seeds.extend([gzip.finish().unwrap(), zlib.finish().unwrap(), deflate.finish().unwrap()]);
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        seeds.push(ruzstd::encoding::compress_to_vec(text, level));
    }
    seeds.extend([0x68, 0x80].map(zstd_bomb));
    seeds.extend(crate::shared("http/compressed"));
    seeds
}

/// 38 MB in 2 KB, to be held until the window is full, which `window` gives the length of: 8 MiB
/// is 0x68, 64 MiB 0x80.
fn zstd_bomb(window: u8) -> Vec<u8> {
    let block: u32 = (128 << 10) << 3 | 1 << 1;
    let block = block.to_le_bytes();
    let blocks = [block[0], block[1], block[2], b'x'].repeat(300);
    [&[0x28, 0xb5, 0x2f, 0xfd, 0, window][..], &blocks].concat()
}

/// A brotli window is up to 16 MiB. One of zstd is up to 8 MiB, in a buffer that grows by doubling.
const MOST_MEMORY: usize = 28 << 20;

#[test]
fn any_coded_body_is_undone_within_bounds() {
    let words = &["\x1f\u{8b}\x08\0", "(\u{b5}/\u{fd}", "x\u{9c}", "x\u{da}"];
    Fuzz::new("codings", 20_000).words(words).run(&seeds(), |body, random| {
        let coding = CODINGS[random.usize(..CODINGS.len())];
        let (decoded, peak) = peak_of(|| decode(body, Some(coding), LIMIT));
        assert!(decoded.bytes.len() <= LIMIT);
        assert!(peak <= MOST_MEMORY, "{coding} took {peak} bytes of memory");
    });
}

#[test]
fn any_content_encoding_header_is_taken() {
    let seeds = CODINGS.map(|coding| coding.as_bytes().to_vec());
    let body = &seeds_of_one_body();
    Fuzz::new("content-encoding", 2000).words(&["gzip", "br", ",", " "]).run(
        &seeds,
        |header, _| {
            let decoded = decode(body, Some(&String::from_utf8_lossy(header)), LIMIT);
            assert!(decoded.bytes.len() <= LIMIT);
        },
    );
}

fn seeds_of_one_body() -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&[b'x'; 2 * LIMIT]).unwrap();
    gzip.finish().unwrap()
}
