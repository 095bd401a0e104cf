//! Names of people, out of lines such as `By Jane Doe and John Roe, Staff Writers | 22 May 2020`.

use super::plain::{plain, tidy};

/// The names in a line, in order; empty if it is none.
pub fn names(line: &str) -> Vec<String> {
    let line = tidy(line);
    let line = without_begin(&line);
    let mut found = Vec::new();
    for part in pieces(cut(line)) {
        let part = without_begin(trimmed(part));
        let part = trimmed(without_end(part));
        if is_name(part) && !found.iter().any(|one: &String| plain(one) == plain(part)) {
            found.push(part.to_owned());
        }
    }
    found
}

/// More words than this no name has.
const MAX_WORDS: usize = 6;
const MAX_CHARS: usize = 60;

fn is_name(part: &str) -> bool {
    let letters = part.chars().filter(|c| c.is_alphabetic()).count();
    let words = part.split_whitespace().count();
    letters >= 2
        && words <= MAX_WORDS
        && part.chars().count() <= MAX_CHARS
        && !part.contains("://")
        && !part.starts_with("www.")
        && !is_role(part)
}

/// Words that come before a name.
const BEGINS: &[&str] = &[
    "written by", "posted by", "published by", "reported by", "story by", "words by", "text by", "article by",
    "author", "authors", "by", "from", "autor", "autorin", "autoren", "von", "ein beitrag von",
    "ein artikel von", "geschrieben von", "verfasst von", "text", "texte", "par", "publié par", "écrit par",
    "auteur", "por", "escrito por", "publicado por", "redacción", "di", "a cura di", "scritto da",
    "pubblicato da", "autore", "door", "geschreven door", "автор", "авторы", "текст", "przez",
    "yazan", "yazar", "av", "af", "skrevet af", "skrevet av", "foto", "fotos",
];

/// Cuts what comes before the name, as long as there is something.
fn without_begin(line: &str) -> &str {
    let mut line = line.trim();
    for _ in 0..3 {
        let Some(kept) = BEGINS.iter().filter_map(|begin| behind(line, begin)).min_by_key(|kept| kept.len()) else { break };
        line = kept;
    }
    line
}

/// What is behind a word at the beginning of a line; something must be.
fn behind<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let start: String = line.chars().take(word.chars().count()).collect();
    if start.to_lowercase() != word {
        return None;
    }
    let rest = &line[start.len()..];
    let parted = rest.starts_with(|c: char| c.is_whitespace() || c == ':');
    let kept = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '–'));
    (parted && !kept.is_empty()).then_some(kept)
}

/// Cuts what follows the names: a day, a time, a bar with something else behind.
fn cut(line: &str) -> &str {
    let marks = [" | ", " • ", " · ", " — ", " – ", " - ", " // ", "\u{2022}", " on ", " am ", " published ", " updated ", "("];
    let lower = line.to_lowercase();
    let same_length = lower.len() == line.len();
    let ends = marks.iter().filter_map(|mark| if same_length { lower.find(mark) } else { line.find(mark) });
    let digit = line.char_indices().find(|(at, c)| c.is_ascii_digit() && begins_word(line, *at)).map(|(at, _)| at);
    let end = ends.chain(digit).filter(|end| *end > 0).min().unwrap_or(line.len());
    line.get(..end).unwrap_or(line)
}

fn begins_word(line: &str, at: usize) -> bool {
    line[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || matches!(before, ',' | '|'))
}

/// Splits at commas and at the word for "and".
fn pieces(line: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = line.split([',', ';', '|', '&', '•', '·', '/']).collect();
    for word in [" and ", " und ", " et ", " with ", " and\u{a0}", " AND ", " And ", " UND ", " и ", " oraz ", " ve ", " och ", " og "] {
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
        Some((one, other)) if one.trim().contains(' ') && other.trim().contains(' ') => vec![one, other],
        _ => vec![part],
    }
}

fn trimmed(part: &str) -> &str {
    let part = part.trim().strip_prefix("and ").unwrap_or(part.trim());
    part.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '*' | '"' | '@' | '…' | '_'))
        .trim_start_matches(['.', ')'])
        .trim()
}

/// Cuts a word behind a name that is none.
fn without_end(part: &str) -> &str {
    let part = part.strip_suffix(" for").unwrap_or(part);
    part.strip_suffix(" in").unwrap_or(part)
}

/// A part that says what somebody does, not who it is.
const ROLES: &[&str] = &[
    "writer", "editor", "reporter", "correspondent", "contributor", "journalist", "columnist", "producer",
    "staff", "photographer", "fellow", "intern", "phd", "md", "redakteur", "redakteurin", "korrespondent",
    "chefredakteur", "journaliste", "rédacteur", "rédactrice", "periodista", "redactor", "redattore",
    "giornalista", "jornalista", "contributing", "senior", "chief", "follow", "read", "more", "view", "share",
    "bio", "profile", "email", "e-mail", "twitter", "facebook", "minutes", "min", "updated", "published", "posts",
    "comments", "subscribe", "expert", "guest", "author", "authors", "autor", "about", "news", "today",
];

/// Names of roles are dropped if there is a real name; see `without_roles`.
fn is_role(part: &str) -> bool {
    let mut words = part.split_whitespace().map(|word| word.trim_matches('.').to_lowercase());
    let role = |word: &String| ROLES.contains(&word.as_str());
    let all: Vec<String> = words.by_ref().collect();
    let last = all.last().is_some_and(role) || all.first().is_some_and(role);
    last && all.len() <= 4
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
            ("By Jane Doe | 22 May 2020", "Jane Doe"),
            ("Jane Doe 22.05.2020 10:30", "Jane Doe"),
            ("Jane Doe on May 22, 2020", "Jane Doe"),
            ("https://www.facebook.com/jane", ""),
            ("Jane Doe, Jane Doe", "Jane Doe"),
            ("Por María Núñez y José Ruiz", "María Núñez; José Ruiz"),
            ("José Ortega y Gasset", "José Ortega y Gasset"),
            ("Byron Doe", "Byron Doe"),
            ("Vonda Doe", "Vonda Doe"),
            ("<a href='x'>Jane&nbsp;Doe</a>", "Jane Doe"),
            ("this is a whole sentence that nobody could be called by", ""),
            ("", ""),
            ("By", "By"),
            ("|", ""),
        ] {
            assert_eq!(names(line).join("; "), expected, "{line}");
        }
    }
}
