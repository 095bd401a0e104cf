/// How long the first part of a brotli stream says it is, decoded (RFC 7932, 9.1 and 9.2). `None` if
/// the stream is too short to say, or empty.
pub fn first_length(stream: &[u8]) -> Option<usize> {
    let mut bits = Bits { stream, at: 0 };
    skip_window(&mut bits)?;
    let is_last = bits.take(1)? == 1;
    if is_last && bits.take(1)? == 1 {
        return None;
    }
    match bits.take(2)? {
        3 => None, // metadata
        nibbles => Some(bits.take(4 * (nibbles + 4))? + 1),
    }
}

/// Seven bits that mean nothing in RFC 7932 (9.1). The decoder takes them for an extension with windows of up to 1 GiB, and would fill one.
pub fn has_large_window(stream: &[u8]) -> bool {
    stream.first().is_some_and(|byte| byte & 0x7f == 0x11)
}

/// The size of the window is written in one, four or seven bits.
fn skip_window(bits: &mut Bits<'_>) -> Option<()> {
    if bits.take(1)? == 1 && bits.take(3)? == 0 {
        bits.take(3)?;
    }
    Some(())
}

struct Bits<'a> {
    stream: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next so many bits, the first one lowest.
    fn take(&mut self, count: usize) -> Option<usize> {
        let mut value = 0;
        for bit in 0..count {
            let byte = *self.stream.get((self.at + bit) / 8)?;
            value |= usize::from(byte >> ((self.at + bit) % 8) & 1) << bit;
        }
        self.at += count;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_read_from_the_first_bits() {
        // A window of 24 bits and a part of 16 MiB; a window of 16 bits and three bytes; nothing.
        assert_eq!(first_length(b"\xcf\xff\xff\x7f\xf8\x25\x40"), Some(1 << 24));
        assert_eq!(first_length(&[0b0010_0000, 0, 0]), Some(3));
        for stream in [&b""[..], b"\x06", b"\xcf\xff", &[0x3b]] {
            assert_eq!(first_length(stream), None, "{stream:?}");
        }
    }
}
