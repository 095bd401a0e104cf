//! Names of people, out of lines such as `By Jane Doe and John Roe, Staff Writers | 22 May 2020`.

mod words;

use words::{AGENCIES, BEGINS, BY, NOISE, ROLES};

use super::plain::{plain, tidy};
use super::when::is_month;

/// The names in a line, in order; empty if it is none.
pub fn names(line: &str) -> Vec<String> {
    if line.len() > MAX_LINE {
        return Vec::new();
    }
    let line = tidy(line);
    if is_address(&line) {
        return Vec::new();
    }
    let parts = pieces(cut(behind_by(&line)));
    let parts = parts.into_iter().map(|part| without_end(trimmed(without_begin(trimmed(part)))));
    let parts: Vec<&str> = parts.filter(|part| is_name(part)).take(MAX_PARTS).collect();
    // A role is told behind a name; alone it stands for one.
    let people = parts.iter().filter(|part| !begins_or_ends(part, ROLES)).count();
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        let counts = people == 0 && part.contains(' ') || !begins_or_ends(part, ROLES);
        if counts && !found.iter().any(|one| plain(one) == plain(part)) {
            found.push(part.to_owned());
        }
    }
    without_agencies(found)
}

fn is_address(line: &str) -> bool {
    line.contains("://")
        || line.starts_with("www.")
        || (line.starts_with('/') && !line.contains(' '))
}

/// A longer one is a text.
const MAX_LINE: usize = 1000;
/// More words than this no name has.
const MAX_WORDS: usize = 6;
const MAX_CHARS: usize = 60;
/// Nor has a line more names.
const MAX_PARTS: usize = 50;

fn is_name(part: &str) -> bool {
    let letters = part.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && part.split_whitespace().count() <= MAX_WORDS
        && part.chars().count() <= MAX_CHARS
        && !begins_or_ends(part, NOISE)
}

/// What is behind `by` in `Posted on 22 May 2020 by Jane Doe`.
fn behind_by(line: &str) -> &str {
    let line = without_begin(line.trim());
    let mut at = 0;
    for word in line.split(' ') {
        let before = &line[..at];
        at = (at + word.len() + 1).min(line.len());
        let by = BY.contains(&word.trim_end_matches(':').to_lowercase().as_str());
        let told = word.ends_with(':') || before.contains(|c: char| c.is_ascii_digit());
        if by && told && at < line.len() && before.chars().count() <= MAX_CHARS {
            return &line[at..];
        }
    }
    line
}

/// Cuts what comes before the name, as long as there is something.
fn without_begin(line: &str) -> &str {
    let mut line = line.trim();
    for _ in 0..3 {
        let kept = BEGINS.iter().filter_map(|begin| behind(line, begin));
        let Some(kept) = kept.min_by_key(|kept| kept.len()) else { break };
        line = kept;
    }
    line
}

/// What is behind a word at the beginning of a line; something must be.
fn behind<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut letters = line.char_indices();
    for wanted in word.chars() {
        let (_, letter) = letters.next()?;
        if letter != wanted && !letter.to_lowercase().eq([wanted]) {
            return None;
        }
    }
    let rest = letters.as_str();
    let parted = rest.starts_with(|c: char| c.is_whitespace() || c == ':');
    let kept = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '–'));
    (parted && !kept.is_empty()).then_some(kept)
}

/// Cuts what follows the names: a day, a time, a bar with something else behind.
fn cut(line: &str) -> &str {
    const MARKS: &[&str] = &[" | ", " • ", " · ", " — ", " – ", " - ", " // ", "•", "(", "["];
    const WORDS: &[&str] =
        &["on", "am", "published", "updated", "updated:", "published:", "editor", "aktualisiert"];
    let mark = MARKS.iter().filter_map(|mark| line.find(mark));
    let mut from = 0;
    let mut ends = Vec::new();
    for word in line.split(' ') {
        let day = word.starts_with(|c: char| c.is_ascii_digit());
        if day || WORDS.contains(&word.to_lowercase().as_str()) {
            ends.push(from);
        }
        from += word.len() + 1;
    }
    let end = mark.chain(ends).filter(|end| *end > 0).min().unwrap_or(line.len());
    let kept = line.get(..end).unwrap_or(line).trim();
    // A day alone, such as `March 7, 2023`, names nobody.
    if end < line.len() && is_month(kept) { "" } else { without_month(kept) }
}

/// The day that was cut off may have had its month before it.
fn without_month(line: &str) -> &str {
    match line.rsplit_once(' ') {
        Some((kept, month)) if is_month(month.trim_matches(['.', ','])) => kept,
        _ => line,
    }
}

/// Splits at commas and at the word for "and".
fn pieces(line: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = line.split([',', ';', '|', '&', '•', '·']).collect();
    for word in [
        " and ", " und ", " et ", " with ", " AND ", " And ", " UND ", " и ", " oraz ", " ve ",
        " och ", " og ", " / ",
    ] {
        parts = parts.iter().flat_map(|part| part.split(word)).collect();
    }
    // In some languages the word is so short that it may be a part of a name.
    for word in [" y ", " e ", " en ", " i "] {
        parts = parts.iter().flat_map(|part| split_full_names(part, word)).collect();
    }
    parts
}

fn split_full_names<'a>(part: &'a str, word: &str) -> Vec<&'a str> {
    match part.split_once(word) {
        Some((one, other)) if one.trim().contains(' ') && other.trim().contains(' ') => {
            vec![one, other]
        }
        _ => vec![part],
    }
}

fn trimmed(part: &str) -> &str {
    let part = part.trim().strip_prefix("and ").unwrap_or(part.trim());
    let mark = |c: char| {
        c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '*' | '"' | '@' | '…' | '_' | '/')
    };
    part.trim_matches(mark).trim_start_matches(['.', ')']).trim()
}

/// Cuts what stands behind a name: a degree, a word that leads on.
fn without_end(part: &str) -> &str {
    let mut part = part;
    while let Some((name, last)) = part.rsplit_once(' ') {
        let leads_on = matches!(last, "for" | "in" | "is" | "at" | "of");
        let is_cut = leads_on || (name.contains(' ') && is_degree(last));
        if !is_cut {
            break;
        }
        part = name;
    }
    part
}

/// `MD`, `PhD`, `M.S.`; not `III`.
fn is_degree(word: &str) -> bool {
    let letters = word.trim_matches('.').replace('.', "");
    let capitals = letters.chars().filter(|c| c.is_uppercase()).count();
    let roman = letters.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    (2..=4).contains(&letters.len())
        && capitals >= 2
        && !roman
        && (letters.len() - capitals) <= 1
        && letters != "JR"
}

fn begins_or_ends(part: &str, words: &[&str]) -> bool {
    let is = |word: Option<&str>| {
        word.is_some_and(|word| {
            words.contains(&word.trim_matches(['.', ':']).to_lowercase().as_str())
        })
    };
    let short = part.split_whitespace().count() <= 4;
    short && (is(part.split_whitespace().next()) || is(part.split_whitespace().next_back()))
}

/// The same without degrees that were taken for names, and without agencies beside people.
pub fn without_agencies(mut found: Vec<String>) -> Vec<String> {
    let is_person = |name: &String| name.contains(' ') && !AGENCIES.contains(&plain(name).as_str());
    if found.iter().any(is_person) {
        found.retain(|name| {
            is_person(name) || !(is_degree(name) || AGENCIES.contains(&plain(name).as_str()))
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_a_line() {
        for (line, expected) in [
            ("Jane Doe", "Jane Doe"),
            ("By Jane Doe", "Jane Doe"),
            ("BY JANE DOE", "JANE DOE"),
            ("Written by: Jane Doe", "Jane Doe"),
            ("Von Jane Doe und John Roe", "Jane Doe; John Roe"),
            ("Jane Doe, John Roe and Max Moe", "Jane Doe; John Roe; Max Moe"),
            ("Jane Doe, Staff Writer", "Jane Doe"),
            ("Jane Doe MS, RDN, LD", "Jane Doe"),
            ("Jane Doe, The Associated Press", "Jane Doe"),
            ("The Associated Press", "The Associated Press"),
            ("George T. Doe III", "George T. Doe III"),
            ("By Jane Doe | 22 May 2020", "Jane Doe"),
            ("Jane Doe 22.05.2020 10:30", "Jane Doe"),
            ("Jane Doe Editor Updated: August 8, 2020", "Jane Doe"),
            ("Jane Doe on May 22, 2020", "Jane Doe"),
            ("Posted on May 22, 2020 by Jane Doe", "Jane Doe"),
            ("Artikel von: Jane Doe", "Jane Doe"),
            ("https://www.facebook.com/jane", ""),
            ("Jane Doe, Jane Doe", "Jane Doe"),
            ("Por María Núñez y José Ruiz", "María Núñez; José Ruiz"),
            ("José Ortega y Gasset", "José Ortega y Gasset"),
            ("March 7, 2023", ""),
            ("March Doe", "March Doe"),
            ("Byron Doe", "Byron Doe"),
            ("Vonda Doe", "Vonda Doe"),
            ("<a href='x'>Jane&nbsp;Doe</a>", "Jane Doe"),
            ("this is a whole sentence that nobody could be called by", ""),
            ("", ""),
            ("Acme Staff", "Acme Staff"),
            ("Read more", ""),
            ("By", ""),
            ("|", ""),
        ] {
            assert_eq!(names(line).join("; "), expected, "{line}");
        }
    }
}
