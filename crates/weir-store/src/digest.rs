use std::fmt;

use sha1::{Digest as _, Sha1};

/// SHA-1 of a payload: what WARC readers expect and check. It tells equal pages from different
/// ones; it does not protect against someone who makes collisions on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest([u8; 20]);

impl Digest {
    pub const NONE: Digest = Digest([0; 20]);

    pub fn of(bytes: &[u8]) -> Self {
        Digest(Sha1::digest(bytes).into())
    }

    /// As it is shown; `None` for what is no digest.
    pub fn parse(text: &str) -> Option<Self> {
        let letters = text.strip_prefix("sha1:")?.as_bytes();
        let mut bytes = [0; 20];
        if letters.len() != 32 {
            return None;
        }
        for (eight, five) in letters.chunks_exact(8).zip(bytes.chunks_exact_mut(5)) {
            let mut bits = 0_u64;
            for letter in eight {
                let value = ALPHABET.iter().position(|known| known == letter)?;
                bits = bits << 5 | value as u64;
            }
            five.copy_from_slice(&bits.to_be_bytes()[3..]);
        }
        Some(Digest(bytes))
    }

    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        Digest(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// Enough of it to tell a billion pages apart.
    pub fn key(&self) -> [u8; 16] {
        self.0[..16].try_into().expect("a digest has 20 bytes")
    }
}

/// `sha1:` and 32 characters of base 32, which 20 bytes fill without padding.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = *b"sha1:00000000000000000000000000000000";
        for (five, eight) in self.0.chunks_exact(5).zip(text[5..].chunks_exact_mut(8)) {
            let bits = five.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            for (place, letter) in eight.iter_mut().enumerate() {
                *letter = ALPHABET[(bits >> (35 - 5 * place) & 31) as usize];
            }
        }
        f.write_str(std::str::from_utf8(&text).expect("the alphabet is ASCII"))
    }
}

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_as_warc_readers_expect() {
        let empty = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
        assert_eq!(Digest::of(b"").to_string(), empty);
        let abc = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
        assert_eq!(Digest::of(b"abc").to_string(), abc);
        assert_eq!(Digest::parse(abc), Some(Digest::of(b"abc")));
        for wrong in ["", "sha1:", "md5:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "sha1:1"] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }
}
