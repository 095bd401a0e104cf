use encoding_rs::Encoding;

/// The `charset` parameter of a `Content-Type`: the first with a label that is known, also where
/// several headers were joined by commas.
pub(crate) fn encoding(content_type: &str) -> Option<&'static Encoding> {
    let mut rest = content_type;
    loop {
        let at = rest.find([';', ','])?;
        rest = rest[at + 1..].trim_ascii_start();
        let name_end = rest.find([';', ',', '=']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        let Some(value) = after.strip_prefix('=') else { continue };
        let (value, after) = parameter(value);
        rest = after;
        if name.eq_ignore_ascii_case("charset")
            && let Some(encoding) = Encoding::for_label(value.as_bytes())
        {
            return Some(encoding);
        }
    }
}

/// A value and what follows it. In quotes it may hold separators; a label needs no escapes.
fn parameter(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(inner) => inner.split_at(inner.find('"').unwrap_or(inner.len())),
        None => text.split_at(text.find([';', ',']).unwrap_or(text.len())),
    }
}

pub(crate) fn is_xml(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.to_ascii_lowercase().ends_with("+xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_found_however_it_is_written() {
        for (header, expected) in [
            ("text/html; charset=utf-8", Some("UTF-8")),
            ("text/html;Charset=\"ISO-8859-4\"", Some("ISO-8859-4")),
            ("text/html; boundary=\"a;charset=big5\"; charset=latin1 ", Some("windows-1252")),
            ("text/html; charset=nonsense, text/html;charset=koi8-r", Some("KOI8-R")),
            ("text/html;charset=\"gbk", Some("GBK")),
            ("text/html;;x;charset=utf-8", Some("UTF-8")),
            ("text/html", None),
            ("text/html; charset=", None),
            ("text/html; charset", None),
            ("text/html; charset='utf-8'", None),
            ("charset=utf-8", None),
            ("", None),
        ] {
            assert_eq!(encoding(header).map(Encoding::name), expected, "{header}");
        }
    }
}
