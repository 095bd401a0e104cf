//! The attributes of pages: title, authors, date, videos, and the time they take.
//!
//! Every second page of a collection is for making rules (`even`); the others say whether the rules
//! hold on pages they were not made with (`odd`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use flate2::read::GzDecoder;
use jiff::Timestamp;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use weir_content::attributes::{Attributes, attributes};
use weir_parse::tree::Builder;

use crate::clock::thread_time;
use crate::corpus::{self, Page};

/// How a field is judged: a page has a share of right and wrong things.
type Judge = fn(&Page, &Attributes) -> Option<Mark>;

/// What a page adds to a column.
#[derive(Clone)]
struct Mark {
    right: usize,
    found: usize,
    wanted: usize,
    /// What was wanted and what was found, for whoever looks for the reason.
    told: (String, String),
}

impl Mark {
    fn f1(&self) -> f64 {
        f1(self.right, self.found, self.wanted)
    }
}

fn f1(right: usize, found: usize, wanted: usize) -> f64 {
    if found + wanted == 0 { 1.0 } else { 2.0 * right as f64 / (found + wanted) as f64 }
}

const COLUMNS: [(&str, &str, Judge); 7] = [
    ("title NAEB", "naeb", title),
    ("title traf.", "trafilatura", title),
    ("author NAEB", "naeb", author),
    ("author traf.", "trafilatura", author),
    ("date NAEB", "naeb", date),
    ("date traf.", "trafilatura", date),
    ("date htmldate", "htmldate", date),
];

const SETS: [&str; 4] = ["aeb", "naeb", "trafilatura", "htmldate"];

pub fn print(data: &Path, worst: usize) -> Result<()> {
    let mut speed = Speed::default();
    let mut read = BTreeMap::new();
    for set in SETS {
        let pages = corpus::load(data, set)?;
        let found: Vec<Attributes> = pages.iter().map(|page| speed.read(page)).collect();
        read.insert(set, (pages, found));
    }
    println!("{:<14}{:>7}{:>9}{:>9}{:>9}{:>9}", "", "pages", "all", "even", "odd", "by page");
    for (column, set, judge) in COLUMNS {
        let (pages, found) = &read[set];
        let marks: Vec<Option<Mark>> =
            pages.iter().zip(found).map(|(page, found)| judge(page, found)).collect();
        print_column(column, &marks);
        print_worst(pages, &marks, worst);
    }
    print_videos(data, &read, worst)?;
    speed.print();
    Ok(())
}

fn print_column(column: &str, marks: &[Option<Mark>]) {
    let part =
        |rest: usize| total(&marks.iter().skip(rest).step_by(2).flatten().collect::<Vec<_>>());
    let all: Vec<&Mark> = marks.iter().flatten().collect();
    let by_page = all.iter().map(|mark| mark.f1()).sum::<f64>() / all.len().max(1) as f64;
    println!(
        "{column:<14}{:>7}{:>9.3}{:>9.3}{:>9.3}{by_page:>9.3}",
        all.len(),
        total(&all),
        part(0),
        part(1)
    );
}

fn total(marks: &[&Mark]) -> f64 {
    let sum = |of: fn(&Mark) -> usize| marks.iter().map(|mark| of(mark)).sum();
    f1(sum(|mark| mark.right), sum(|mark| mark.found), sum(|mark| mark.wanted))
}

fn print_worst(pages: &[Page], marks: &[Option<Mark>], worst: usize) {
    let wrong = marks.iter().enumerate().filter_map(|(at, mark)| Some((at, mark.as_ref()?)));
    let mut wrong: Vec<(usize, &Mark)> = wrong.filter(|(_, mark)| mark.f1() < 1.0).collect();
    wrong.sort_by(|one, other| one.1.f1().total_cmp(&other.1.f1()));
    for (at, mark) in wrong.into_iter().take(worst) {
        let half = if at % 2 == 0 { "even" } else { "odd" };
        let (page, (wanted, found)) = (&pages[at], &mark.told);
        println!(
            "  {:.2} {half:<5}{} {}\n      wanted {wanted}\n      found  {found}",
            mark.f1(),
            &page.id[..8],
            page.url
        );
    }
}

/// Right or wrong: one thing is wanted, and one is found.
fn exact(same: bool, wanted: &str, found: String) -> Mark {
    Mark { right: usize::from(same), found: 1, wanted: 1, told: (wanted.to_owned(), found) }
}

fn field<'p>(page: &'p Page, names: &[&str]) -> Option<&'p str> {
    let text = names.iter().find_map(|name| page.truth[*name].as_str())?;
    Some(text).filter(|text| !text.trim().is_empty())
}

fn title(page: &Page, found: &Attributes) -> Option<Mark> {
    let wanted = field(page, &["title"])?;
    let own = found.title.as_ref().map_or("", |title| title.value.as_str());
    let source = found.title.as_ref().map(|title| title.source);
    Some(exact(folded(wanted) == folded(own), wanted, format!("{own} ({source:?})")))
}

/// NFKC, case folded, straight quotes and dashes, single spaces.
fn folded(text: &str) -> String {
    let straight = |c: char| match c {
        '‘' | '’' | '‚' | '‛' | '′' | '´' | '`' | '‹' | '›' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        other => other,
    };
    let text: String = text.nfkc().map(straight).collect::<String>().to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn author(page: &Page, found: &Attributes) -> Option<Mark> {
    let wanted = field(page, &["authors", "author"])?;
    let names: Vec<&str> = found.authors.iter().map(|author| author.value.as_str()).collect();
    let (truth, own) = (words(wanted), words(&names.join(" ")));
    let source = found.authors.first().map(|author| author.source);
    Some(Mark {
        right: truth.intersection(&own).count(),
        found: own.len(),
        wanted: truth.len(),
        told: (wanted.to_owned(), format!("{} ({source:?})", names.join("; "))),
    })
}

fn words(text: &str) -> BTreeSet<String> {
    let text = text.nfkc().collect::<String>().to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn date(page: &Page, found: &Attributes) -> Option<Mark> {
    let wanted = field(page, &["date"])?;
    let own = found.day().map(|when| when.day.to_string()).unwrap_or_default();
    let published = found.published.as_ref().map(|found| found.source);
    Some(exact(wanted == own, wanted, format!("{own} ({published:?})")))
}

/// All videos of a page, or none, must be found, and no other.
fn print_videos(
    data: &Path,
    read: &BTreeMap<&str, (Vec<Page>, Vec<Attributes>)>,
    worst: usize,
) -> Result<()> {
    let mut truth = videos(data)?;
    let (with, mut right, mut extra) = (truth.len(), 0, 0);
    for (set, (pages, found)) in read {
        for (page, found) in pages.iter().zip(found) {
            let own: BTreeSet<String> =
                found.videos.iter().map(|video| video.value.clone()).collect();
            let wanted = truth.remove(&((*set).to_owned(), page.id.clone()));
            if wanted.as_ref() == Some(&own) {
                right += 1;
            } else if wanted.is_some() || !own.is_empty() {
                extra += usize::from(wanted.is_none());
                if worst > 0 {
                    println!(
                        "  videos {set} {} {}\n      wanted {wanted:?}\n      found  {own:?}",
                        &page.id[..8],
                        page.url
                    );
                }
            }
        }
    }
    println!(
        "videos        {right} of {with} pages right, {extra} pages with videos that are not listed"
    );
    Ok(())
}

type Videos = BTreeMap<(String, String), BTreeSet<String>>;

fn videos(data: &Path) -> Result<Videos> {
    let lines = BufReader::new(GzDecoder::new(File::open(data.join("videos.jsonl.gz"))?));
    let mut videos = Videos::new();
    for line in lines.lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let lists = row["videos"].as_object().into_iter().flat_map(|lists| lists.values());
        let urls = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        videos.insert((text("set"), text("id")), urls.map(str::to_owned).collect());
    }
    Ok(videos)
}

/// What reading costs, the tree and the attributes apart; decoding is not counted.
#[derive(Default)]
struct Speed {
    builder: Builder,
    pages: u32,
    bytes: usize,
    tree: Duration,
    attributes: Duration,
    slowest: Duration,
}

impl Speed {
    /// Reads a page three times and counts the fastest: the first time brings it into the cache,
    /// which is the work of whoever fetched it.
    fn read(&mut self, page: &Page) -> Attributes {
        let html = page.decoded();
        let mut best = (Duration::MAX, Duration::MAX);
        let mut found = Attributes::default();
        for _ in 0..3 {
            let start = thread_time();
            let tree = self.builder.build(&html);
            let built = thread_time();
            found = attributes(tree, &page.url, Timestamp::now());
            best = (best.0.min(built - start), best.1.min(thread_time() - built));
        }
        self.pages += 1;
        self.bytes += html.len();
        self.tree += best.0;
        self.attributes += best.1;
        self.slowest = self.slowest.max(best.1);
        found
    }

    fn print(&self) {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(self.pages.max(1));
        println!(
            "CPU us a page: tree {:.0}, attributes {:.0} (at most {:.0}); {:.0} KB a page",
            each(self.tree),
            each(self.attributes),
            self.slowest.as_secs_f64() * 1e6,
            self.bytes as f64 / 1e3 / f64::from(self.pages.max(1)),
        );
    }
}
