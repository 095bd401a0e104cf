use tokio::time::Instant;

/// Copies the bytes of a response head as they pass, and knows where it ends. It runs only while
/// a head is awaited, so that bodies cost nothing.
pub struct HeadCopy {
    bytes: Vec<u8>,
    /// What the line so far holds.
    line: Line,
    /// From `begin` to the head's end.
    awaited: bool,
    /// All bytes looked at since `begin`, skipped interim responses included.
    seen: usize,
    limit: usize,
    first_byte: Option<Instant>,
    last_byte: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq)]
enum Line {
    Empty,
    /// A single carriage return, which may belong to the line's end.
    Return,
    Text,
}

/// Most heads fit, so that the copy is made without growing.
const USUAL_SIZE: usize = 512;

impl HeadCopy {
    pub fn new(limit: usize) -> Self {
        HeadCopy {
            bytes: Vec::new(),
            line: Line::Empty,
            awaited: false,
            seen: 0,
            limit,
            first_byte: None,
            last_byte: None,
        }
    }

    /// A request is about to be sent: the next bytes are a head.
    pub fn begin(&mut self) {
        self.bytes = Vec::with_capacity(USUAL_SIZE);
        self.line = Line::Empty;
        self.awaited = true;
        self.seen = 0;
        self.first_byte = None;
        self.last_byte = None;
    }

    pub fn is_awaited(&self) -> bool {
        self.awaited
    }

    pub fn first_byte(&self) -> Option<Instant> {
        self.first_byte
    }

    pub fn last_byte(&self) -> Option<Instant> {
        self.last_byte
    }

    /// The head, or what there is of it, and stops copying.
    pub fn take(&mut self) -> Vec<u8> {
        self.awaited = false;
        std::mem::take(&mut self.bytes)
    }

    pub fn too_large(&self) -> bool {
        self.awaited && self.seen > self.limit
    }

    /// Looks at bytes just read; those after the head's end are left alone.
    pub fn pass(&mut self, mut bytes: &[u8], now: Instant) {
        self.first_byte.get_or_insert(now);
        self.last_byte = Some(now);
        while self.awaited && !bytes.is_empty() {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                self.keep(bytes);
                self.line = line_after(self.line, bytes);
                return;
            };
            let (line, rest) = bytes.split_at(end + 1);
            let blank = line_after(self.line, &line[..end]) != Line::Text;
            self.keep(line);
            self.line = Line::Empty;
            if blank {
                self.blank_line();
            }
            bytes = rest;
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.seen += bytes.len();
        if self.seen <= self.limit {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The end of a head, unless it is the end of an interim response or comes before any head.
    fn blank_line(&mut self) {
        if self.seen > self.limit {
            return; // the copy has gaps and tells nothing
        }
        if self.bytes.iter().all(|byte| matches!(byte, b'\r' | b'\n')) || is_interim(&self.bytes) {
            self.bytes.clear();
        } else {
            self.awaited = false;
        }
    }
}

fn line_after(before: Line, bytes: &[u8]) -> Line {
    match (before, bytes) {
        (_, []) => before,
        (Line::Empty, [b'\r']) => Line::Return,
        _ => Line::Text,
    }
}

/// 100 to 199, but not 101 (switching protocols), which is final.
fn is_interim(head: &[u8]) -> bool {
    let status = head.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5));
    matches!(status, Some([b'1', tens, units]) if (*tens, *units) != (b'0', b'1'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head found in `bytes`, however they are split.
    fn check(bytes: &str, head: &str) {
        for step in 1..=bytes.len() {
            let mut copy = HeadCopy::new(1000);
            copy.begin();
            for part in bytes.as_bytes().chunks(step) {
                if copy.is_awaited() {
                    copy.pass(part, Instant::now());
                }
            }
            assert!(!copy.is_awaited(), "in steps of {step}: {bytes:?}");
            assert_eq!(String::from_utf8(copy.take()).unwrap(), head, "in steps of {step}");
        }
    }

    #[test]
    fn a_head_ends_at_the_first_blank_line() {
        check("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        check("HTTP/1.1 200 OK\nA: b\n\nbody\n\n", "HTTP/1.1 200 OK\nA: b\n\n");
        check("HTTP/1.1 200 OK\r\nA: b\n\r\nbody", "HTTP/1.1 200 OK\r\nA: b\n\r\n");
        check("HTTP/1.0 404 \n\n", "HTTP/1.0 404 \n\n");
        check("\r\n\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n");
    }

    #[test]
    fn interim_responses_are_not_the_head() {
        check(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
            "HTTP/1.1 200 OK\r\n\r\n",
        );
        check("HTTP/1.1 101 Switch\r\n\r\n", "HTTP/1.1 101 Switch\r\n\r\n");
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let endless = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(10);
        for step in 1..=endless.len() {
            let mut copy = HeadCopy::new(100);
            copy.begin();
            endless.chunks(step).for_each(|part| copy.pass(part, Instant::now()));
            assert!(copy.too_large(), "in steps of {step}");
            assert!(copy.take().len() <= 100);
        }
    }
}
