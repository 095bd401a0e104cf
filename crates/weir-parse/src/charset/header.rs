use encoding_rs::Encoding;

/// The `charset` parameter of a `Content-Type`.
pub(crate) fn encoding(content_type: &str) -> Option<&'static Encoding> {
    let parameters = content_type.split(';').skip(1);
    let mut values = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    });
    let label = values.next()?.trim().trim_matches(['"', '\'']);
    Encoding::for_label(label.as_bytes())
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
            ("text/html; boundary=x; charset = 'latin1' ", Some("windows-1252")),
            ("text/html", None),
            ("text/html; charset=", None),
            ("charset=utf-8", None),
        ] {
            assert_eq!(encoding(header).map(Encoding::name), expected, "{header}");
        }
    }
}
