//! The main text of pages: `text AEB`, `text NAEB`, `segments`, and pages per CPU second.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use weir_content::text::main_text;
use weir_parse::tree::Builder;

use crate::clock::thread_time;
use crate::corpus::{self, Page};
use crate::shingles::{self, Match};

/// The collections, and the field of the text; that of segments has none.
const SETS: [(&str, &str, &str); 3] = [
    ("text AEB", "aeb", "articleBody"),
    ("text NAEB", "naeb", "text"),
    ("segments", "trafilatura", ""),
];

/// Each column for all pages, and for every second page, which says whether rules only fit those
/// they were made with.
pub fn print(data: &Path, worst: usize) -> Result<()> {
    println!("{:<12}{:>7}{:>9}{:>9}{:>9}", "", "pages", "F1", "even", "odd");
    let mut speed = Speed::default();
    for (column, set, field) in SETS {
        let pages = corpus::load(data, set)?;
        let results: Vec<Score> = pages.iter().map(|page| score(page, field, &mut speed)).collect();
        let part = |rest| results.iter().skip(rest).step_by(2).copied().collect::<Vec<_>>();
        println!(
            "{column:<12}{:>7}{:>9.4}{:>9.4}{:>9.4}",
            pages.len(),
            mean(&results),
            mean(&part(0)),
            mean(&part(1))
        );
        print_worst(&pages, &results, worst);
    }
    println!("{}", speed.told());
    Ok(())
}

#[derive(Clone, Copy)]
enum Score {
    Text(Match),
    Segments(Segments),
}

#[derive(Clone, Copy, Default)]
struct Segments {
    there: usize,
    missing: usize,
    unwanted: usize,
}

impl Score {
    fn precision_and_recall(&self) -> (f64, f64) {
        match self {
            Score::Text(text) => (text.precision(), text.recall()),
            Score::Segments(segments) => segments.precision_and_recall(),
        }
    }

    fn f1(&self) -> f64 {
        let (precision, recall) = self.precision_and_recall();
        shingles::harmonic(precision, recall)
    }
}

impl Segments {
    fn precision_and_recall(&self) -> (f64, f64) {
        let part = |rest: usize| match self.there {
            0 => 0.0,
            there => there as f64 / (there + rest) as f64,
        };
        (part(self.unwanted), part(self.missing))
    }
}

/// Texts are averaged over pages, segments counted over all pages.
fn mean(scores: &[Score]) -> f64 {
    let mut texts = Vec::new();
    let mut all = Segments::default();
    for score in scores {
        match score {
            Score::Text(text) => texts.push(*text),
            Score::Segments(one) => {
                all.there += one.there;
                all.missing += one.missing;
                all.unwanted += one.unwanted;
            }
        }
    }
    if texts.is_empty() { Score::Segments(all).f1() } else { shingles::mean_f1(&texts) }
}

/// The figure of texts that somebody read in these pages.
pub fn figure(pages: &[Page], field: &str, texts: &[&str]) -> f64 {
    let scores: Vec<Score> =
        pages.iter().zip(texts).map(|(page, text)| judge(page, field, text)).collect();
    mean(&scores)
}

fn score(page: &Page, field: &str, speed: &mut Speed) -> Score {
    judge(page, field, &speed.read(&page.decoded()))
}

fn judge(page: &Page, field: &str, text: &str) -> Score {
    if !field.is_empty() {
        return Score::Text(shingles::compare(
            page.truth[field].as_str().unwrap_or_default(),
            text,
        ));
    }
    let wanted = page.list("with");
    let there = wanted.iter().filter(|segment| text.contains(**segment)).count();
    let unwanted = page.list("without").iter().filter(|segment| text.contains(**segment)).count();
    Score::Segments(Segments { there, missing: wanted.len() - there, unwanted })
}

/// Counts what reading costs: the tree and the text, not the decoding.
#[derive(Default)]
struct Speed {
    builder: Builder,
    pages: u32,
    bytes: usize,
    tree: Duration,
    text: Duration,
}

impl Speed {
    /// Reads a page three times and counts the fastest: the first time brings it into the cache,
    /// which is the work of whoever fetched it.
    fn read(&mut self, html: &str) -> String {
        let (mut tree_time, mut text_time) = (Duration::MAX, Duration::MAX);
        let mut text = String::new();
        for _ in 0..3 {
            let start = thread_time();
            let tree = self.builder.build(html);
            let built = thread_time();
            text = main_text(&tree).plain();
            tree_time = tree_time.min(built - start);
            text_time = text_time.min(thread_time() - built);
        }
        self.pages += 1;
        self.bytes += html.len();
        self.tree += tree_time;
        self.text += text_time;
        text
    }

    fn told(&self) -> String {
        let pages = f64::from(self.pages.max(1));
        let each = |time: Duration| time.as_secs_f64() * 1e6 / pages;
        format!(
            "{:.0} pages per CPU second: {:.0} KB each, {:.0} us for the tree, {:.0} us for the text",
            1e6 / each(self.tree + self.text),
            self.bytes as f64 / 1e3 / pages,
            each(self.tree),
            each(self.text)
        )
    }
}

fn print_worst(pages: &[Page], results: &[Score], count: usize) {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by(|one, other| results[*one].f1().total_cmp(&results[*other].f1()));
    for at in order.into_iter().take(count) {
        let (precision, recall) = results[at].precision_and_recall();
        let (page, f1) = (&pages[at], results[at].f1());
        let half = if at % 2 == 0 { "even" } else { "odd" };
        println!("  {f1:.3} p {precision:.3} r {recall:.3} {half:<5}{} {}", page.id, page.url);
    }
}

/// Prints the text of one page, `+` before lines that are too much; then, with `-`, what is missing.
pub fn show(data: &Path, id: &str) -> Result<()> {
    for (_, set, field) in SETS {
        for page in corpus::load(data, set)?.iter().filter(|page| page.id.starts_with(id)) {
            show_page(page, field);
        }
    }
    Ok(())
}

fn show_page(page: &Page, field: &str) {
    let mut builder = Builder::new();
    let html = page.decoded();
    let text = main_text(&builder.build(&html)).plain();
    println!("{} {}", page.id, page.url);
    if field.is_empty() {
        println!("{text}");
        let found =
            |field| page.list(field).into_iter().partition::<Vec<_>, _>(|s| text.contains(s));
        println!("missing {:?}", found("with").1);
        println!("unwanted {:?}", found("without").0);
        return;
    }
    let truth = page.truth[field].as_str().unwrap_or_default();
    mark(&text, truth, "+");
    println!("--------");
    mark(truth, &text, "-");
}

/// The lines of `text`, with `sign` where most of a line is not in `other`.
fn mark(text: &str, other: &str, sign: &str) {
    let pairs = |text: &str| -> HashSet<(String, String)> {
        let words = shingles::words(text);
        words.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
    };
    let known = pairs(other);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let own = pairs(line);
        let new = own.iter().filter(|pair| !known.contains(*pair)).count();
        let sign =
            if new * 2 > own.len() || own.is_empty() && !other.contains(line) { sign } else { " " };
        println!("{sign} {line}");
    }
}
