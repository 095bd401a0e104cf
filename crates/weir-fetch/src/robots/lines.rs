use std::time::Duration;

/// One line that means something to us.
pub enum Directive<'a> {
    UserAgent(&'a [u8]),
    Rule {
        allow: bool,
        pattern: &'a [u8],
    },
    /// `None` where the value is no time.
    CrawlDelay(Option<Duration>),
    Sitemap(&'a [u8]),
}

/// The directives of a file in their order. Lines end in CR, LF or both; comments, unknown keys
/// and broken lines are passed over.
pub fn directives(bytes: &[u8]) -> impl Iterator<Item = Directive<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|byte| matches!(byte, b'\r' | b'\n')).filter_map(directive)
}

/// What names a crawler: all up to a version, a comment or a space.
pub fn product(name: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..);
    let end = name.iter().position(|byte| !is_part(byte)).unwrap_or(name.len());
    &name[..end]
}

fn directive(line: &[u8]) -> Option<Directive<'_>> {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    let (key, value) = key_and_value(line[..end].trim_ascii())?;
    let is = |names: &[&str]| names.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()));
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(Directive::UserAgent(value))
    } else if is(&["allow"]) {
        Some(Directive::Rule { allow: true, pattern: value })
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Some(Directive::Rule { allow: false, pattern: value })
    } else if is(&["crawl-delay", "crawldelay", "crawl delay"]) {
        Some(Directive::CrawlDelay(seconds(value)))
    } else if is(&["sitemap", "site-map"]) {
        Some(Directive::Sitemap(value)).filter(|_| !value.is_empty())
    } else {
        None
    }
}

/// Parted by a colon, or by white space where there is no colon and just two words.
fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(colon) = memchr::memchr(b':', line) {
        return Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()));
    }
    let space = line.iter().position(u8::is_ascii_whitespace)?;
    let value = line[space..].trim_ascii();
    (!value.iter().any(u8::is_ascii_whitespace)).then_some((&line[..space], value))
}

fn seconds(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    // More than can be counted is too long all the same.
    if seconds > u32::MAX.into() && value[0].is_ascii_digit() {
        return Some(Duration::MAX);
    }
    Duration::try_from_secs_f64(seconds).ok()
}
