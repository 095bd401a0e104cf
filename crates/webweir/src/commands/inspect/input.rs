use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{Deserialize, Deserializer, Visitor};
use url::Url;

use crate::exit::WrongUse;

/// All of a file, or of standard input if it is called `-`.
pub fn read(file: &Path) -> Result<Vec<u8>, WrongUse> {
    let mut bytes = Vec::new();
    let done = if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    match done {
        Ok(_) => Ok(bytes),
        Err(why) => Err(WrongUse(format!(
            "cannot read {}: {why}; name a file, or - for standard input",
            file.display()
        ))),
    }
}

/// The bytes that a request is about: `key` has them as text, `key` with `_b64` in base64.
pub fn bytes<'a>(
    key: &str,
    text: Option<Text<'a>>,
    base64: Option<Text<'a>>,
) -> Result<Cow<'a, [u8]>, String> {
    match (text, base64) {
        (Some(Text(Cow::Borrowed(text))), None) => Ok(Cow::Borrowed(text.as_bytes())),
        (Some(Text(Cow::Owned(text))), None) => Ok(Cow::Owned(text.into_bytes())),
        (None, Some(Text(base64))) => {
            let bytes = BASE64.decode(base64.as_bytes());
            bytes.map(Cow::Owned).map_err(|why| format!("`{key}_b64` is no base64: {why}"))
        }
        (None, None) => Err(format!("neither `{key}` nor `{key}_b64` is given")),
        (Some(_), Some(_)) => Err(format!("both `{key}` and `{key}_b64` are given")),
    }
}

/// With or without the equals signs at the end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The URL something came from: the request's own, or else the one on the command line.
pub fn url_of(given: Option<&Text<'_>>, else_url: Option<&Url>) -> Result<Url, String> {
    match (given, else_url) {
        (Some(Text(text)), _) => Url::parse(text).map_err(|why| format!("`url` {text:?}: {why}")),
        (None, Some(url)) => Ok(url.clone()),
        (None, None) => Err("no `url` is given".to_owned()),
    }
}

/// A text in a request. JSON can write one half of a surrogate pair, which is no character; as in
/// browsers it becomes U+FFFD.
pub struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor).map(Text)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Cow<'de, str>, E> {
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(without_halves(bytes.to_vec())),
        })
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(without_halves(bytes.to_vec())))
    }
}

/// A half comes as the three bytes that its number would have in UTF-8, and U+FFFD has three too.
fn without_halves(mut bytes: Vec<u8>) -> String {
    for at in 0..bytes.len() {
        if matches!(bytes[at..], [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..]) {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(why) => String::from_utf8_lossy(why.as_bytes()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        let text: Text<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(text.0, expected, "{json}");
    }

    #[test]
    fn half_a_pair_is_one_replacement_character() {
        check(r#""plain""#, "plain");
        check(r#""a\"b é""#, "a\"b é");
        check(r#""\ud83d\ude00""#, "\u{1f600}");
        check(r#""x\ud800y\udfffz""#, "x\u{fffd}y\u{fffd}z");
        check(r#""\ud800\ud83d\ude00 \ud7ff""#, "\u{fffd}\u{1f600} \u{d7ff}");
        assert!(serde_json::from_str::<Text<'_>>("7").is_err());
        assert!(serde_json::from_str::<Text<'_>>("[65]").is_err());
    }

    #[test]
    fn bytes_come_once_as_text_or_as_base64() {
        let text = |text: &'static str| Some(Text(text.into()));
        assert_eq!(&*bytes("k", text("a"), None).unwrap(), b"a");
        for base64 in ["/w==", "/w"] {
            assert_eq!(&*bytes("k", None, text(base64)).unwrap(), b"\xff");
        }
        assert!(bytes("k", None, text("?")).unwrap_err().contains("k_b64"));
        assert!(bytes("k", None, None).is_err());
        assert!(bytes("k", text("a"), text("YQ==")).is_err());
    }
}
