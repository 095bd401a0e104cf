//! From a request to the bytes of its answer, and how they end.

use std::io::Write;

use flate2::{Compression, GzBuilder};

use crate::answer::{Answer, HTML, answer};
use crate::conditional::{LAST_MODIFIED, is_known, write_etag};
use crate::counts::Live;
use crate::item::{Item, number, parse_path, write_number};
use crate::layout::Layout;
use crate::request::Request;
use crate::spec::{FaultKind, RobotsSpec};

/// An answer ready to be sent. Kept by the connection, so its buffers serve again.
#[derive(Default)]
pub(crate) struct Reply {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
    /// The item to count as handed over once it is.
    pub(crate) serves: Option<u32>,
    pub(crate) broken: Option<FaultKind>,
    pub(crate) keep_alive: bool,
    scratch: Vec<u8>,
}

const CHUNK: usize = 8 * 1024;
const PLAIN: &str = "text/plain";

impl Reply {
    /// Fills the reply with the answer to `request` and counts it.
    pub(crate) fn to(&mut self, request: &Request, layout: &Layout, host: usize, live: &Live) {
        self.clear(request.keep_alive);
        if !matches!(request.method, "GET" | "HEAD") {
            live.ask_badly();
            return self.short(405, "only GET and HEAD are served here\n");
        }
        let spec = &layout.hosts[host].spec;
        if let Some(item) = parse_path(spec, request.path) {
            let before = live.ask(&layout.hosts[host], item);
            match fault(layout, host, item, before) {
                Some(FaultKind::Status(status)) => self.short(status, "not now\n"),
                broken => {
                    self.item(request, layout, host, item);
                    self.broken = broken;
                }
            }
        } else if request.path == b"/robots.txt" {
            live.ask_robots();
            self.robots(spec.robots.as_ref());
        } else if request.path.starts_with(b"/false/") {
            live.ask_false_link();
            self.short(404, "nobody links here\n");
        } else {
            live.ask_unknown();
            self.short(404, "no such page\n");
        }
        if request.method == "HEAD" {
            self.body.clear();
            self.serves = None;
        }
        if self.broken.is_some() {
            self.body.truncate(self.body.len() / 2);
            self.serves = None;
        }
    }

    /// The answer to what could not be read as a request.
    pub(crate) fn refuse(&mut self) {
        self.clear(false);
        self.short(400, "this is no HTTP/1.1 request\n");
    }

    fn clear(&mut self, keep_alive: bool) {
        self.head.clear();
        self.body.clear();
        self.serves = None;
        self.broken = None;
        self.keep_alive = keep_alive;
    }

    fn item(&mut self, request: &Request, layout: &Layout, host: usize, item: Item) {
        let spec = &layout.hosts[host].spec;
        let number = number(spec, item);
        let validated = spec.validators && !matches!(item, Item::Redirect(_) | Item::Dead(_));
        if validated {
            self.scratch.clear();
            write_etag(&mut self.scratch, layout.seed, host, number);
            if is_known(request, &self.scratch) {
                self.status(304);
                self.validators();
                return self.end_head();
            }
        }
        let Answer { status, content_type, location } = answer(layout, host, item, &mut self.body);
        self.serves = Some(number);
        self.status(status);
        self.header(b"content-type: ", content_type.as_bytes());
        if let Some(location) = location {
            self.header(b"location: ", location.as_bytes());
        }
        if validated {
            self.validators();
        }
        if spec.compressed {
            self.header(b"vary: ", b"accept-encoding");
            if request.accepts_gzip {
                self.gzip();
            }
        }
        if spec.chunked && request.knows_chunks {
            self.chunk();
        } else {
            self.length();
        }
        self.end_head();
    }

    fn robots(&mut self, robots: Option<&RobotsSpec>) {
        match robots {
            None => self.short(404, "no robots.txt\n"),
            Some(RobotsSpec::Private) => self.short(200, "User-agent: *\nDisallow: /private/\n"),
            Some(RobotsSpec::Text(text)) => self.short(200, text),
            Some(RobotsSpec::Status(status)) => self.short(*status, "no rules\n"),
        }
    }

    fn short(&mut self, status: u16, text: &str) {
        self.body.extend_from_slice(text.as_bytes());
        self.status(status);
        self.header(b"content-type: ", if status == 404 { HTML } else { PLAIN }.as_bytes());
        if matches!(status, 429 | 503) {
            self.header(b"retry-after: ", b"1");
        }
        self.length();
        self.end_head();
    }

    fn status(&mut self, status: u16) {
        self.head.extend_from_slice(b"HTTP/1.1 ");
        write_number(&mut self.head, u32::from(status));
        self.head.extend_from_slice(reason(status));
        self.header(b"\r\nserver: ", b"weir-testsite");
        if !self.keep_alive {
            self.header(b"connection: ", b"close");
        }
    }

    /// `before` is the name with its colon.
    fn header(&mut self, before: &[u8], value: &[u8]) {
        self.head.extend_from_slice(before);
        self.head.extend_from_slice(value);
        self.head.extend_from_slice(b"\r\n");
    }

    /// Expects the tag in `scratch`.
    fn validators(&mut self) {
        self.head.extend_from_slice(b"etag: ");
        self.head.extend_from_slice(&self.scratch);
        self.head.extend_from_slice(b"\r\nlast-modified: ");
        self.head.extend_from_slice(LAST_MODIFIED);
        self.head.extend_from_slice(b"\r\n");
    }

    fn length(&mut self) {
        self.head.extend_from_slice(b"content-length: ");
        write_number(&mut self.head, self.body.len() as u32);
        self.head.extend_from_slice(b"\r\n");
    }

    fn end_head(&mut self) {
        self.head.extend_from_slice(b"\r\n");
    }

    fn gzip(&mut self) {
        self.scratch.clear();
        let fast = Compression::fast();
        let mut encoder = GzBuilder::new().write(std::mem::take(&mut self.scratch), fast);
        let written = encoder.write_all(&self.body).and_then(|()| encoder.finish());
        self.scratch =
            std::mem::replace(&mut self.body, written.expect("writing to memory does not fail"));
        self.header(b"content-encoding: ", b"gzip");
    }

    fn chunk(&mut self) {
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

/// What goes wrong with a request that `before` others came before.
fn fault(layout: &Layout, host: usize, item: Item, before: u32) -> Option<FaultKind> {
    let Item::Page(page) = item else { return None };
    let mut faults = layout.hosts[host].spec.faults.iter();
    faults.find(|fault| fault.page == page && before < fault.times).map(|fault| fault.kind)
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
