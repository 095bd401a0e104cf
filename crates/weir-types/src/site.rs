use url::{Host, Url};

/// How far from its seeds a crawl may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scope {
    /// The same host and port as a seed.
    Host,
    /// The same site as a seed: see [`site_of`].
    #[default]
    Site,
    /// Anywhere.
    Any,
}

/// The name of the site a URL belongs to: the registrable domain (`news.example.co.uk` is part of
/// `example.co.uk`), whatever the port. A host that has none, such as an address or `localhost`,
/// is a site of its own, and there another port is another site.
pub fn site_of(url: &Url) -> String {
    let authority = || match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
        None => url.host_str().unwrap_or_default().to_owned(),
    };
    match url.host() {
        Some(Host::Domain(name)) => match psl::domain_str(name.trim_end_matches('.')) {
            Some(domain) if domain.contains('.') => domain.to_owned(),
            _ => authority(),
        },
        _ => authority(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_the_registrable_domain_or_the_host_and_port() {
        for (url, site) in [
            ("http://www.example.com/x", "example.com"),
            ("https://news.example.co.uk:8443/", "example.co.uk"),
            ("http://example.com./", "example.com"),
            ("http://127.0.0.1/", "127.0.0.1"),
            ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
            ("http://[::1]:8080/", "[::1]:8080"),
            ("http://localhost:81/", "localhost:81"),
            ("http://someone.github.io/", "someone.github.io"),
        ] {
            assert_eq!(site_of(&Url::parse(url).unwrap()), site, "{url}");
        }
    }
}
