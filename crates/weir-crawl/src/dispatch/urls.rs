//! URLs of the frontier, taken apart for whoever asks for them.

use url::Url;
use weir_frontier::HostId;

/// Remembers the last one: where a host has many pages, the next one mostly is of the same host, whose name need not be
/// taken apart again.
#[derive(Default)]
pub struct Urls {
    last: Option<(HostId, Url)>,
}

impl Urls {
    /// `text` is canonical, and begins with `origin`, that of the host.
    pub fn of(&mut self, host: HostId, origin: &str, text: &str) -> Url {
        if let Some((_, last)) = self.last.as_ref().filter(|(of, _)| *of == host)
            && let Some(rest) = text.strip_prefix(origin).filter(|rest| is_path(rest))
            && let Ok(url) = last.join(rest)
        {
            return url;
        }
        let url = Url::parse(text).expect("the frontier holds canonical URLs");
        self.last = Some((host, url.clone()));
        url
    }
}

/// After two slashes the name of another host would begin.
fn is_path(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    bytes.first() == Some(&b'/') && !matches!(bytes.get(1), Some(b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::origin;

    #[test]
    fn each_is_what_parsing_it_gives_whatever_came_before() {
        let texts = [
            "http://a.example/",
            "http://a.example/x/y.html?q=1&r=/#",
            "http://a.example//b.example/x",
            "http://a.example/%2e%2e/x",
            "http://a.example/x:80/?a?b",
            "http://a.example:81/x",
            "http://a.example.b/x",
            "https://[::1]:8443/x//y",
            "https://127.0.0.1/?q=%20",
        ];
        let mut urls = Urls::default();
        for first in texts {
            for second in texts {
                for text in [first, second, second] {
                    let host = texts.iter().position(|other| origin(other) == origin(text));
                    let host = HostId(host.unwrap() as u32);
                    let canonical = weir_parse::canonicalize(text, None).unwrap();
                    let url = urls.of(host, origin(&canonical), &canonical);
                    assert_eq!(url, Url::parse(&canonical).unwrap());
                }
            }
        }
    }
}
