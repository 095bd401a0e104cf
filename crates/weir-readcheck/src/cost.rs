//! What reading a page costs, part by part, beside the search for its links.

use std::time::Duration;

use jiff::Timestamp;
use weir_content::attributes::attributes;
use weir_content::text::main_text;
use weir_parse::tree::Builder;
use weir_parse::{Ask, Finding, Parser};

use crate::clock::thread_time;
use crate::corpus::{Corpora, Page};

/// Processor time of all pages together.
#[derive(Default)]
pub struct Cost {
    pages: u32,
    bytes: usize,
    links: Duration,
    decoding: Duration,
    tree: Duration,
    attributes: Duration,
    text: Duration,
    /// The attributes of the page that took longest.
    slowest: Duration,
}

/// Each part is done so often, and the fastest counts: the first time brings the page into the
/// cache, which is the work of whoever fetched it, and others use the machine too.
const TRIES: usize = 5;

impl Cost {
    pub fn measure(corpora: &Corpora) -> Cost {
        let mut cost = Cost::default();
        let (mut parser, mut builder) = (Parser::new(), Builder::new());
        for page in corpora.values().flatten() {
            cost.add(page, &mut parser, &mut builder);
        }
        cost
    }

    fn add(&mut self, page: &Page, parser: &mut Parser, builder: &mut Builder) {
        let html = page.decoded();
        self.pages += 1;
        self.bytes += page.body.len();
        self.links += fastest(|| {
            let ask = Ask { body: &page.body, url: &page.url, content_type: None, assets: false };
            let mut links = 0;
            parser.parse(ask, |finding| links += usize::from(matches!(finding, Finding::Link(_))));
            links
        });
        self.decoding += fastest(|| page.decode().len());
        self.tree += fastest(|| builder.build(&html).len());
        let tree = builder.build(&html);
        let now = Timestamp::now();
        let time = fastest(|| attributes(tree, &page.url, now).videos.len());
        self.attributes += time;
        self.slowest = self.slowest.max(time);
        self.text += fastest(|| main_text(&tree).plain().len());
    }

    /// Attributes, with all they need, as a multiple of the links.
    pub fn ratio(&self) -> f64 {
        self.beside_links(self.decoding + self.tree + self.attributes)
    }

    fn ratio_with_text(&self) -> f64 {
        self.beside_links(self.decoding + self.tree + self.attributes + self.text)
    }

    fn beside_links(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.links.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    pub fn print(&self) {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(self.pages.max(1));
        println!(
            "CPU us a page of {:.0} KB: links {:.0}; decoding {:.0}, tree {:.0}, attributes {:.0} \
             (at most {:.0}), text {:.0}",
            self.bytes as f64 / 1e3 / f64::from(self.pages.max(1)),
            each(self.links),
            each(self.decoding),
            each(self.tree),
            each(self.attributes),
            self.slowest.as_secs_f64() * 1e6,
            each(self.text),
        );
        println!(
            "attributes cost {:.2} times the links alone, decoding and tree included; with the main \
             text {:.2} times",
            self.ratio(),
            self.ratio_with_text(),
        );
    }
}

/// What is counted is handed out, so that no compiler leaves it away.
fn fastest(mut part: impl FnMut() -> usize) -> Duration {
    let time = |_| {
        let start = thread_time();
        std::hint::black_box(part());
        thread_time() - start
    };
    (0..TRIES).map(time).min().unwrap_or_default()
}
