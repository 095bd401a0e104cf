use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use url::Url;

/// The guess looks at this many bytes from the first that is not ASCII.
const WINDOW: usize = 64 * 1024;

pub(crate) fn encoding(body: &[u8], url: &Url) -> &'static Encoding {
    // Plain ASCII reads the same in all; this is what browsers call it.
    let Some(first) = body.iter().position(|byte| !byte.is_ascii()) else { return WINDOWS_1252 };
    let window = &body[first..body.len().min(first + WINDOW)];
    if is_utf8(window) {
        return UTF_8; // the usual answer, and far quicker to find
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, true);
    detector.guess(top_level(url).as_deref(), Utf8Detection::Allow)
}

/// The window may cut the last character.
fn is_utf8(window: &[u8]) -> bool {
    std::str::from_utf8(window)
        .err()
        .is_none_or(|error| error.error_len().is_none() && window.len() == WINDOW)
}

/// The detector wants the last label of the host, in lower case and without dots.
fn top_level(url: &Url) -> Option<Vec<u8>> {
    let label = url.domain()?.trim_end_matches('.').rsplit('.').next()?;
    let fit = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_lowercase());
    fit.then(|| label.as_bytes().to_vec())
}
