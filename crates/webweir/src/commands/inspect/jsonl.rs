use std::io::{BufRead, BufReader, Read, Write};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Answers the requests of `input`, one a line, in order. A request that cannot be answered gets
/// an answer that says why. Empty lines are passed over. No more than one line is in memory.
pub fn answer_all<A: Serialize>(
    input: impl Read,
    out: &mut impl Write,
    mut answer: impl FnMut(&[u8]) -> Result<A, String>,
) -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = Vec::new();
    while {
        line.clear();
        input.read_until(b'\n', &mut line).context("cannot read standard input")? > 0
    } {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match answer(line) {
            Ok(answer) => serde_json::to_writer(&mut *out, &answer),
            Err(error) => serde_json::to_writer(&mut *out, &Unanswered { error }),
        }
        .map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        // Whoever waits for an answer before asking again must get it.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Unanswered {
    error: String,
}

/// Keys that are not known are passed over, so that a corpus may keep its own notes in a line.
pub fn request<'a, R: Deserialize<'a>>(line: &'a [u8]) -> Result<R, String> {
    serde_json::from_slice(line).map_err(|why| format!("the request cannot be read: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        let mut out = Vec::new();
        let double = |line: &[u8]| request::<u64>(line).map(|number| 2 * number);
        answer_all(input.as_bytes(), &mut out, double).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{input:?}");
    }

    #[test]
    fn each_line_has_its_answer_in_order() {
        check("", "");
        check("1\n2\r\n3", "2\n4\n6\n");
        check("1\n\n  \n2\n", "2\n4\n");
    }

    #[test]
    fn a_request_that_cannot_be_read_does_not_stop_the_next() {
        let mut out = Vec::new();
        let same = |line: &[u8]| request::<u64>(line);
        answer_all(&b"x\n\xff\n7\n"[..], &mut out, same).unwrap();
        let lines: Vec<&[u8]> = out.split(|byte| *byte == b'\n').collect();
        assert!(lines[0].starts_with(b"{\"error\":") && lines[1].starts_with(b"{\"error\":"));
        assert_eq!(lines[2..], [&b"7"[..], b""]);
    }
}
