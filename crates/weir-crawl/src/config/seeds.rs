//! The URLs that somebody has named.

use url::Url;

use super::values::value;
use crate::settings::{ConfigError, Settings};

pub fn seeds(settings: &Settings) -> Result<Vec<Url>, ConfigError> {
    let mut seeds = Vec::new();
    let of_sites = settings.site.iter().flatten().flat_map(|site| &site.urls);
    for text in settings.urls.iter().chain(of_sites).flatten() {
        seeds.push(seed("urls", text)?);
    }
    if let Some(path) = &settings.seeds {
        let text = std::fs::read_to_string(path).map_err(|why| {
            let remedy = format!("cannot be read: {why}; name a text file with one URL a line");
            value("seeds", &path.display().to_string(), &remedy)
        })?;
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            seeds.push(seed("seeds", line)?);
        }
    }
    Ok(seeds)
}

/// A bare `example.com` is taken for `https://example.com`, as a browser would.
pub fn seed(key: &'static str, text: &str) -> Result<Url, ConfigError> {
    let bad = |why: String| ConfigError::Value {
        key,
        value: format!("{text:?}"),
        remedy: format!("no URL that can be crawled ({why}); write one like https://example.com/"),
    };
    let whole = if has_scheme(text) { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).map_err(|why| bad(why.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(bad(format!("its scheme is {other}"))),
    }
}

pub fn sitemap_urls(texts: Option<&[String]>) -> Result<Vec<Url>, ConfigError> {
    texts.unwrap_or_default().iter().map(|text| seed("sitemap", text)).collect()
}

/// `htp:/example.com` is a typing error and no host of that name; `localhost:8080` is a host.
fn has_scheme(text: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric());
    let is_port = |rest: &str| rest.starts_with(|it: char| it.is_ascii_digit());
    text.split_once(':').is_some_and(|(name, rest)| is_name(name) && !is_port(rest))
        || text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_a_seed() {
        for (text, url) in [
            ("example.com/x", "https://example.com/x"),
            ("localhost:8080/y", "https://localhost:8080/y"),
            ("[::1]:80", "https://[::1]:80/"),
        ] {
            assert_eq!(seed("urls", text).unwrap().as_str(), url);
        }
    }

    #[test]
    fn what_looks_like_a_scheme_is_one() {
        for text in ["htp:/example.com", "mailto:a@example.com", "ftp://example.com/"] {
            let why = seed("urls", text).unwrap_err().to_string();
            assert!(why.contains("its scheme is"), "{text}: {why}");
        }
    }
}
