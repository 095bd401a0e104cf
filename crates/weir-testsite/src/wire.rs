//! A reply in the letters of HTTP/1.1: status line, headers, codings.

use std::io::Write;

use flate2::{Compression, GzBuilder};

use crate::conditional::LAST_MODIFIED;
use crate::item::write_number;
use crate::reply::Reply;

const CHUNK: usize = 8 * 1024;

impl Reply {
    pub(crate) fn status(&mut self, status: u16) {
        self.head.extend_from_slice(b"HTTP/1.1 ");
        write_number(&mut self.head, u32::from(status));
        self.head.extend_from_slice(reason(status));
        self.header(b"\r\nserver: ", b"weir-testsite");
        // Said even where HTTP/1.1 implies it, as most servers do: wget2 closes otherwise.
        let then: &[u8] = if self.keep_alive { b"keep-alive" } else { b"close" };
        self.header(b"connection: ", then);
    }

    /// `before` is the name with its colon.
    pub(crate) fn header(&mut self, before: &[u8], value: &[u8]) {
        self.head.extend_from_slice(before);
        self.head.extend_from_slice(value);
        self.head.extend_from_slice(b"\r\n");
    }

    /// Expects the tag in `scratch`.
    pub(crate) fn validators(&mut self, dated: bool) {
        self.head.extend_from_slice(b"etag: ");
        self.head.extend_from_slice(&self.scratch);
        if dated {
            self.head.extend_from_slice(b"\r\nlast-modified: ");
            self.head.extend_from_slice(LAST_MODIFIED);
        }
        self.head.extend_from_slice(b"\r\n");
    }

    pub(crate) fn length(&mut self) {
        self.head.extend_from_slice(b"content-length: ");
        write_number(&mut self.head, self.body.len() as u32);
        self.head.extend_from_slice(b"\r\n");
    }

    pub(crate) fn end_head(&mut self) {
        self.head.extend_from_slice(b"\r\n");
    }

    pub(crate) fn gzip(&mut self) {
        self.scratch.clear();
        let fast = Compression::fast();
        let mut encoder = GzBuilder::new().write(std::mem::take(&mut self.scratch), fast);
        let written = encoder.write_all(&self.body).and_then(|()| encoder.finish());
        self.scratch =
            std::mem::replace(&mut self.body, written.expect("writing to memory does not fail"));
        self.header(b"content-encoding: ", b"gzip");
    }

    pub(crate) fn chunk(&mut self) {
        self.scratch.clear();
        for chunk in self.body.chunks(CHUNK) {
            self.scratch.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            self.scratch.extend_from_slice(chunk);
            self.scratch.extend_from_slice(b"\r\n");
        }
        self.scratch.extend_from_slice(b"0\r\n\r\n");
        std::mem::swap(&mut self.scratch, &mut self.body);
        self.header(b"transfer-encoding: ", b"chunked");
    }
}

fn reason(status: u16) -> &'static [u8] {
    match status {
        200 => b" OK",
        301 => b" Moved Permanently",
        302 => b" Found",
        304 => b" Not Modified",
        307 => b" Temporary Redirect",
        308 => b" Permanent Redirect",
        400 => b" Bad Request",
        403 => b" Forbidden",
        404 => b" Not Found",
        405 => b" Method Not Allowed",
        429 => b" Too Many Requests",
        500 => b" Internal Server Error",
        503 => b" Service Unavailable",
        _ => b" Other",
    }
}
