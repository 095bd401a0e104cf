//! Traps that a URL alone gives away.

use weir_types::Skip;

use super::pattern::path_and_query;

/// The same segments this often in a row lead nowhere (`/a/b/a/b/a/b`).
const MOST_ROUNDS: usize = 3;
/// One segment this often in a path, in whatever order, is a loop of relative links.
const MOST_ALIKE: usize = 5;
const MOST_SEGMENTS: usize = 40;
const MOST_PARAMETERS: usize = 40;
/// The same parameter this often is a query that grows by one with each link.
const MOST_SAME_PARAMETER: usize = 8;

/// The rule that a canonical URL breaks, if it breaks one.
pub fn trap(url: &str) -> Option<Skip> {
    let (path, query) = path_and_query(url);
    if let Some(skip) = path_trap(path) {
        return Some(skip);
    }
    query.filter(|query| query_grows(query)).map(|_| Skip::TrapQuery)
}

fn path_trap(path: &str) -> Option<Skip> {
    // Most paths are far too short to have a loop in them.
    if memchr::memchr_iter(b'/', path.as_bytes()).count() < MOST_ROUNDS {
        return None;
    }
    let mut buffer = [""; MOST_SEGMENTS];
    let mut count = 0;
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        let Some(place) = buffer.get_mut(count) else { return Some(Skip::TrapDeep) };
        *place = segment;
        count += 1;
    }
    let segments = &buffer[..count];
    (has_rounds(segments) || has_alike(segments)).then_some(Skip::TrapRepeats)
}

/// A sequence of segments stands there again and again, one right after the other. A number may
/// repeat (`/2020/01/01/01`), so one segment alone counts only if it is a word.
fn has_rounds(segments: &[&str]) -> bool {
    (1..=segments.len() / MOST_ROUNDS).any(|period| {
        let mut alike = 0;
        (period..segments.len()).any(|at| {
            let same = segments[at] == segments[at - period]
                && (period > 1 || segments[at].bytes().any(|byte| byte.is_ascii_alphabetic()));
            alike = if same { alike + 1 } else { 0 };
            alike >= period * (MOST_ROUNDS - 1)
        })
    })
}

fn has_alike(segments: &[&str]) -> bool {
    segments.len() >= MOST_ALIKE
        && segments
            .iter()
            .any(|one| segments.iter().filter(|other| *other == one).count() >= MOST_ALIKE)
}

fn query_grows(query: &str) -> bool {
    let names = || query.split('&').map(|part| part.split('=').next().unwrap_or(part));
    let count = memchr::memchr_iter(b'&', query.as_bytes()).count() + 1;
    count > MOST_PARAMETERS
        || count >= MOST_SAME_PARAMETER
            && names().any(|name| {
                !name.ends_with("[]")
                    && names().filter(|other| *other == name).count() >= MOST_SAME_PARAMETER
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_told_from_honest_paths() {
        let deep = format!("http://a/{}", (0..41).map(|n| format!("{n}/")).collect::<String>());
        let long = format!("http://a/?{}", (0..41).map(|n| format!("p{n}=1&")).collect::<String>());
        let same = format!("http://a/x?{}", "tag=1&".repeat(8));
        for (url, expected) in [
            ("http://a/", None),
            ("http://a/a/b/a/b", None),
            ("http://a/a/b/a/b/a/b", Some(Skip::TrapRepeats)),
            ("http://a/x/a/b/a/b/a/b/y", Some(Skip::TrapRepeats)),
            ("http://a/a/a/a", Some(Skip::TrapRepeats)),
            ("http://a/images/images/x", None),
            ("http://a/2020/01/01/01/", None),
            ("http://a/1/1/1/1/x", None),
            ("http://a/1/1/1/1/1/x", Some(Skip::TrapRepeats)),
            ("http://a/a/x/a/y/a/z/a/u/a/v", Some(Skip::TrapRepeats)),
            ("http://a/a/b/c/d/e/f/g/h/i/j/k", None),
            (&deep, Some(Skip::TrapDeep)),
            (&long, Some(Skip::TrapQuery)),
            (&same, Some(Skip::TrapQuery)),
            ("http://a/x?id[]=1&id[]=2&id[]=3&id[]=4&id[]=5&id[]=6&id[]=7&id[]=8&id[]=9", None),
            ("http://a/x?a=1&b=2", None),
        ] {
            assert_eq!(trap(url), expected, "{url}");
        }
    }
}
