//! Bodies that grow when they are decoded, or cannot be.

use std::io::Write;
use std::sync::OnceLock;

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress, Status};

use super::{Hostile, html};
use crate::script::Script;

pub(super) const ALL: &[Hostile] = &[Hostile::BOMBS, Hostile::WRONG_CODINGS];

impl Hostile {
    /// A gibibyte and more of blanks in a few kilobytes, in several codings.
    pub const BOMBS: Hostile =
        Hostile::new("bombs", &["/gzip", "/brotli", "/nested", "/endless"], |asked| {
            match asked.path {
                "/gzip" => Some(coded("gzip", &gzip_bomb())),
                "/brotli" => Some(coded("br", &brotli_bomb())),
                "/nested" => Some(coded("gzip, gzip", &gzip(&gzip_bomb()))),
                "/endless" => {
                    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
                        content-encoding: gzip\r\n\r\n";
                    let start = [head.as_slice(), &GZIP_HEAD].concat();
                    Some(Script::bytes(start).forever(blanks()))
                }
                _ => None,
            }
        });

    /// Labels that are wrong, and bodies that end too early. Each links to a page of its own.
    pub const WRONG_CODINGS: Hostile = Hostile::new(
        "wrong-codings",
        &["/plain-as-gzip", "/cut-gzip", "/unknown", "/twenty"],
        |asked| {
            let whole = html(asked.path, &[]);
            match asked.path {
                "/plain-as-gzip" => Some(coded("gzip", html("plain", &["/from/plain"]).as_bytes())),
                "/cut-gzip" => {
                    let long = html("cut", &["/from/cut"]) + &noise(200_000);
                    let packed = gzip(long.as_bytes());
                    Some(coded("gzip", &packed[..packed.len() / 2]))
                }
                "/unknown" => Some(coded("rot13", whole.as_bytes())),
                "/twenty" => Some(coded(&["gzip"; 20].join(", "), whole.as_bytes())),
                "/from/plain" | "/from/cut" => Some(Script::html(whole)),
                _ => None,
            }
        },
    );
}

fn coded(coding: &str, body: &[u8]) -> Script {
    Script::answer(200, &format!("content-type: text/html\r\ncontent-encoding: {coding}\r\n"), body)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a vector takes all")
}

const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const MEBIBYTE: usize = 1 << 20;

/// One member of a gibibyte. Who gets as far as its checksum finds it wrong.
fn gzip_bomb() -> Vec<u8> {
    let end = [&[1, 0, 0, 0xff, 0xff], [0; 8].as_slice()].concat();
    [&GZIP_HEAD, blanks().repeat(1024).as_slice(), &end].concat()
}

/// Blocks of a deflate stream that give a mebibyte of blanks, whatever stands before them.
fn blanks() -> &'static [u8] {
    static BLOCKS: OnceLock<Vec<u8>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let mut out = Vec::with_capacity(64 * 1024);
        let status = Compress::new(Compression::best(), false).compress_vec(
            &vec![b' '; MEBIBYTE],
            &mut out,
            FlushCompress::Full,
        );
        assert!(matches!(status, Ok(Status::Ok)) && out.len() < out.capacity(), "there is room");
        out
    })
}

/// 64 GiB of blanks: a meta-block of 16 MiB takes 14 bytes.
fn brotli_bomb() -> Vec<u8> {
    const FIRST: &[u8] = b"\xcf\xff\xff\x7f\xf8\x25\x40\xe2\xb1\x40\x20\xf7\xfe\xdf\x00";
    const NEXT: &[u8] = b"\xfc\xff\xff\x87\x5f\x02\x20\x0e\x0b\x00\x74\xef\xff\x0d";
    [FIRST, NEXT.repeat(4095).as_slice(), &[3]].concat()
}

/// Letters that do not compress well.
fn noise(length: usize) -> String {
    let mut state = 7_u32;
    let letters = (0..length).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_bomb_is_a_gibibyte_in_a_mebibyte() {
        let bomb = gzip_bomb();
        assert!(bomb.len() < 2 * MEBIBYTE, "{}", bomb.len());
        let mut decoder = flate2::read::GzDecoder::new(&bomb[..]);
        let mut piece = vec![0; MEBIBYTE];
        for _ in 0..8 {
            decoder.read_exact(&mut piece).unwrap();
            assert!(piece.iter().all(|byte| *byte == b' '));
        }
    }
}
