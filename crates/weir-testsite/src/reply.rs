//! From a request to the bytes of its answer, and how they end.

use crate::answer::{Answer, HTML, answer};
use crate::changing::Changing;
use crate::conditional::{is_known, write_etag};
use crate::item::{Item, number, parse_path, write_path};
use crate::layout::{Host, Layout};
use crate::live::Live;
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
    /// A tag, or a body on its way through a coding.
    pub(crate) scratch: Vec<u8>,
}

const PLAIN: &str = "text/plain";
const SITEMAP_HEAD: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";

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
                    let edition = layout.edition(host, item);
                    self.item(request, layout, host, item, edition);
                    self.broken = broken;
                    if broken.is_none() {
                        live.show(number(spec, item), edition);
                    }
                }
            }
        } else if request.path == b"/robots.txt" {
            live.ask_robots();
            self.robots(&layout.hosts[host]);
        } else if spec.sitemap && request.path == b"/sitemap.xml" {
            live.ask_sitemap();
            self.sitemap(layout, host);
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

    fn item(&mut self, request: &Request, layout: &Layout, host: usize, item: Item, edition: u32) {
        let spec = &layout.hosts[host].spec;
        let number = number(spec, item);
        let validated = spec.validators && !matches!(item, Item::Redirect(_) | Item::Dead(_));
        if validated {
            self.scratch.clear();
            write_etag(&mut self.scratch, layout.seed, host, number, edition);
            if is_known(request, &self.scratch) {
                self.status(304);
                self.validators(spec.changing == Changing::default());
                return self.end_head();
            }
        }
        let Answer { status, content_type, location } =
            answer(layout, host, item, edition, &mut self.body);
        self.serves = Some(number);
        self.status(status);
        self.header(b"content-type: ", content_type.as_bytes());
        if let Some(location) = location {
            self.header(b"location: ", location.as_bytes());
        }
        if validated {
            self.validators(spec.changing == Changing::default());
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

    fn robots(&mut self, host: &Host) {
        let sitemap = match host.spec.sitemap {
            true => format!("Sitemap: http://{}/sitemap.xml\n", host.authority),
            false => String::new(),
        };
        match &host.spec.robots {
            None if host.spec.sitemap => self.short(200, &sitemap),
            None => self.short(404, "no robots.txt\n"),
            Some(RobotsSpec::Private) => {
                self.short(200, &format!("User-agent: *\nDisallow: /private/\n{sitemap}"));
            }
            Some(RobotsSpec::Text(text)) => self.short(200, &format!("{text}{sitemap}")),
            Some(RobotsSpec::Status(status)) => self.short(*status, "no rules\n"),
        }
    }

    fn sitemap(&mut self, layout: &Layout, host: usize) {
        self.body.extend_from_slice(SITEMAP_HEAD);
        for page in 0..layout.hosts[host].spec.pages {
            self.body.extend_from_slice(b"<url><loc>http://");
            self.body.extend_from_slice(layout.hosts[host].authority.as_bytes());
            write_path(&mut self.body, Item::Page(page), b"&amp;");
            self.body.extend_from_slice(b"</loc></url>\n");
        }
        self.body.extend_from_slice(b"</urlset>\n");
        self.status(200);
        self.header(b"content-type: ", b"application/xml");
        self.length();
        self.end_head();
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
}

/// What goes wrong with a request that `before` others came before.
fn fault(layout: &Layout, host: usize, item: Item, before: u32) -> Option<FaultKind> {
    let Item::Page(page) = item else { return None };
    let mut faults = layout.hosts[host].spec.faults.iter();
    faults.find(|fault| fault.page == page && before < fault.times).map(|fault| fault.kind)
}
