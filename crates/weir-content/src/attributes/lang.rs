//! The language of a page.

use weir_parse::tree::{Id, Name};

use super::jsonld::{Key, Thing};
use super::meta::About;
use super::page::Page;
use super::{Found, Source};

pub fn lang(page: &Page<'_>, things: &[&Thing]) -> Option<Found<String>> {
    let found = |text: &str, source| tag(text).map(|tag| Found::new(tag, source));
    page.lang
        .as_deref()
        .and_then(|text| found(text, Source::Html))
        .or_else(|| page.metas(About::Lang).find_map(|meta| found(&meta.content, meta.source)))
        .or_else(|| {
            things.iter().find_map(|thing| found(thing.text(Key::InLanguage)?, Source::JsonLd))
        })
        .or_else(|| detected(page))
}

/// A tag as it should be written: `en`, `en-US`; `None` for what is none.
fn tag(text: &str) -> Option<String> {
    let mut parts = text.trim().split([',', ';', ' ']).next()?.split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    let is_letters = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !(2..=3).contains(&language.len()) || !is_letters(&language) {
        return None;
    }
    let region = parts.find(|part| part.len() == 2 && is_letters(part));
    Some(match region {
        Some(region) => format!("{language}-{}", region.to_ascii_uppercase()),
        None => language,
    })
}

/// So much text tells a language apart.
const ENOUGH_BYTES: usize = 500;

fn detected(page: &Page<'_>) -> Option<Found<String>> {
    let tree = &page.tree;
    let mut text = String::new();
    let mut at = 1;
    while at < tree.len() as u32 && text.len() < ENOUGH_BYTES {
        let id = Id(at);
        let name = tree.name(id);
        at = if name.is_hidden() { tree.end(id).0.max(at + 1) } else { at + 1 };
        // A line of a menu is in any language; a longer text is in the page's.
        if name == Name::Text && tree.raw_text(id).trim().len() >= 40 {
            text.push_str(tree.text(id).get(..).unwrap_or(""));
            text.push(' ');
        }
    }
    text.truncate(text.floor_char_boundary(ENOUGH_BYTES * 2));
    let found = whatlang::detect(&text).filter(whatlang::Info::is_reliable)?;
    let code = short_code(found.lang().code());
    Some(Found::new(code.to_owned(), Source::Detected))
}

/// The code of two letters where there is one.
fn short_code(code: &str) -> &str {
    #[rustfmt::skip]
    const SHORT: &[(&str, &str)] = &[
        ("eng", "en"), ("deu", "de"), ("fra", "fr"), ("spa", "es"), ("ita", "it"), ("por", "pt"), ("nld", "nl"),
        ("rus", "ru"), ("pol", "pl"), ("tur", "tr"), ("ukr", "uk"), ("bul", "bg"), ("ces", "cs"), ("slk", "sk"),
        ("slv", "sl"), ("hrv", "hr"), ("srp", "sr"), ("ron", "ro"), ("hun", "hu"), ("ell", "el"), ("swe", "sv"),
        ("dan", "da"), ("nob", "nb"), ("fin", "fi"), ("est", "et"), ("lav", "lv"), ("lit", "lt"), ("cat", "ca"),
        ("ara", "ar"), ("heb", "he"), ("pes", "fa"), ("urd", "ur"), ("hin", "hi"), ("ben", "bn"), ("tam", "ta"),
        ("tel", "te"), ("mar", "mr"), ("guj", "gu"), ("kan", "kn"), ("mal", "ml"), ("pan", "pa"), ("ori", "or"),
        ("nep", "ne"), ("sin", "si"), ("mya", "my"), ("khm", "km"), ("tha", "th"), ("vie", "vi"), ("ind", "id"),
        ("jav", "jv"), ("tgl", "tl"), ("cmn", "zh"), ("jpn", "ja"), ("kor", "ko"), ("kat", "ka"), ("hye", "hy"),
        ("aze", "az"), ("uzb", "uz"), ("tuk", "tk"), ("mkd", "mk"), ("bel", "be"), ("epo", "eo"), ("lat", "la"),
        ("afr", "af"), ("zul", "zu"), ("sna", "sn"), ("aka", "ak"), ("amh", "am"), ("yid", "yi"),
    ];
    SHORT.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| *short)
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_are_written_alike() {
        for (text, expected) in [
            ("EN", Some("en")),
            ("en_us", Some("en-US")),
            ("zh-Hans-CN", Some("zh-CN")),
            ("de, en", Some("de")),
            ("english", None),
            ("", None),
            ("x1", None),
        ] {
            assert_eq!(tag(text).as_deref(), expected, "{text}");
        }
    }
}
