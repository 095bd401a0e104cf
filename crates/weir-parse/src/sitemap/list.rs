use std::io::BufRead;

use super::Kind;
use super::collect::{Collector, Draft, names_host, shown, trim};
use super::dialect::List;
use super::source::Source;

/// A text without a single URL in so many lines is no sitemap.
const PATIENCE: usize = 100;

/// A text list: a URL on each line.
pub(super) fn read(source: &mut Source<'_>, collector: &mut Collector<'_>) {
    let mut line = String::new();
    let (mut number, mut urls) = (0, 0);
    while urls > 0 || number < PATIENCE {
        source.mark();
        line.clear();
        match source.read_line(&mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if source.is_cut() && !line.ends_with('\n') => break, // half a URL is another URL
            Ok(_) => {}
        }
        // A carriage return alone ends a line too.
        for line in line.split('\r').map(trim).filter(|line| !line.is_empty()) {
            number += 1;
            let Some(loc) = address(line, number, collector) else { continue };
            urls += 1;
            let draft = Draft { loc, ..Draft::default() };
            if !collector.add(draft, List::Urls, collector.base()) {
                return collector.set_kind(Kind::Text);
            }
        }
    }
    match urls {
        0 => collector.problem(|| "neither XML nor a list of URLs".to_owned()),
        _ => collector.set_kind(Kind::Text),
    }
}

fn address(line: &str, number: usize, collector: &mut Collector<'_>) -> Option<String> {
    // Some put more columns behind the URL.
    let (loc, more) = line.split_once('\t').unwrap_or((line, ""));
    if !is_url(loc) && !names_host(loc, collector.base()) {
        collector.problem(|| format!("line {number} is not a URL: {}", shown(line)));
        return None;
    }
    if !more.is_empty() {
        collector.problem(|| format!("line {number} has more than a URL: {}", shown(more)));
    }
    Some(loc.to_owned())
}

fn is_url(text: &str) -> bool {
    let starts = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    starts("http://") || starts("https://")
}
