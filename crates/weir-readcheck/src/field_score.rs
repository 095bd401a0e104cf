//! Title, authors and date of a page against what people marked, as the makers of the collections
//! compare them.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use crate::corpus::Page;
use crate::reading::Reading;

/// What a page adds to a figure; `None` if people say nothing of the field.
pub type Judge = fn(&Page, &Reading) -> Option<Mark>;

pub struct Mark {
    right: usize,
    found: usize,
    wanted: usize,
    /// What was wanted and what was found, for whoever looks for the reason.
    pub told: (String, String),
}

impl Mark {
    pub fn f1(&self) -> f64 {
        f1(self.right, self.found, self.wanted)
    }
}

fn f1(right: usize, found: usize, wanted: usize) -> f64 {
    if found + wanted == 0 { 1.0 } else { 2.0 * right as f64 / (found + wanted) as f64 }
}

/// The figure of all these pages together.
pub fn total<'m>(marks: impl IntoIterator<Item = &'m Mark>) -> f64 {
    let (mut right, mut found, mut wanted) = (0, 0, 0);
    for mark in marks {
        right += mark.right;
        found += mark.found;
        wanted += mark.wanted;
    }
    f1(right, found, wanted)
}

/// Right or wrong: one thing is wanted, and one is found.
fn exact(same: bool, wanted: &str, found: String) -> Mark {
    Mark { right: usize::from(same), found: 1, wanted: 1, told: (wanted.to_owned(), found) }
}

fn field<'p>(page: &'p Page, names: &[&str]) -> Option<&'p str> {
    let text = names.iter().find_map(|name| page.truth[*name].as_str())?;
    Some(text).filter(|text| !text.trim().is_empty())
}

pub fn title(page: &Page, found: &Reading) -> Option<Mark> {
    let wanted = field(page, &["title"])?;
    let own = found.title.as_deref().unwrap_or("");
    Some(exact(folded(wanted) == folded(own), wanted, format!("{own} ({:?})", found.from[0])))
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

pub fn author(page: &Page, found: &Reading) -> Option<Mark> {
    let wanted = field(page, &["authors", "author"])?;
    let own = found.authors.as_deref().unwrap_or("");
    let told = (wanted.to_owned(), format!("{own} ({:?})", found.from[1]));
    let (truth, own) = (words(wanted), words(own));
    Some(Mark {
        right: truth.intersection(&own).count(),
        found: own.len(),
        wanted: truth.len(),
        told,
    })
}

fn words(text: &str) -> BTreeSet<String> {
    let text = text.nfkc().collect::<String>().to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

pub fn date(page: &Page, found: &Reading) -> Option<Mark> {
    let wanted = field(page, &["date"])?;
    let own = found.day.as_deref().unwrap_or("");
    Some(exact(wanted == own, wanted, format!("{own} ({:?})", found.from[2])))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use url::Url;

    use super::*;

    fn check(judge: Judge, truth: serde_json::Value, found: &str, expected: Option<f64>) {
        let url = Url::parse("http://page.invalid/").unwrap();
        let page = Page { id: "a".into(), body: Vec::new(), url, truth };
        let own = || Some(found.to_owned());
        let reading = Reading { title: own(), authors: own(), day: own(), ..Reading::default() };
        let f1 = judge(&page, &reading).map(|mark| mark.f1());
        assert_eq!(f1, expected, "{} {found}", page.truth);
    }

    #[test]
    fn titles_are_the_same_however_they_are_set() {
        let wanted = json!({ "title": "It’s – “a”  Story" });
        check(title, wanted.clone(), "it's - \"A\" story", Some(1.0));
        check(title, wanted.clone(), "It's a story", Some(0.0));
        check(title, wanted, "", Some(0.0));
        check(title, json!({ "title": " " }), "A", None);
    }

    #[test]
    fn authors_are_compared_by_the_words_of_their_names() {
        check(author, json!({ "authors": "Jane Doe, John Roe" }), "John Roe; Jane Doe", Some(1.0));
        check(author, json!({ "author": "Jane Doe, John Roe" }), "Jane Doe", Some(2.0 / 3.0));
        check(author, json!({ "author": "Jane Doe" }), "", Some(0.0));
        check(author, json!({}), "Jane Doe", None);
    }

    #[test]
    fn a_date_is_right_on_the_same_day() {
        check(date, json!({ "date": "2020-05-05" }), "2020-05-05", Some(1.0));
        check(date, json!({ "date": "2020-05-05" }), "2020-05-06", Some(0.0));
        check(date, json!({ "date": null }), "2020-05-06", None);
    }
}
