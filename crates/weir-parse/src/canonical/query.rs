use super::rules::{Rules, When, is_like_session};

impl Rules {
    /// Removes parameters that are empty or on the lists, and a query that is empty then.
    pub(super) fn strip_query(&self, text: &mut String, path_end: usize) {
        let Some(query) = text.get(path_end + 1..) else { return };
        let keeps = |parameter: &&str| !parameter.is_empty() && !self.strips(parameter, query);
        if parameters(query).all(|parameter| keeps(&parameter)) {
            return; // the usual case allocates nothing
        }
        let kept: Vec<&str> = parameters(query).filter(keeps).collect();
        let kept = kept.join("&");
        text.truncate(path_end);
        if !kept.is_empty() {
            text.push('?');
            text.push_str(&kept);
        }
    }

    #[inline]
    fn strips(&self, parameter: &str, query: &str) -> bool {
        // Most parameters are done with this look; `a` is for `amp;`.
        let first = parameter.as_bytes().first().copied().unwrap_or_default();
        (first == b'a' || self.knows(first)) && self.is_listed(parameter, query)
    }

    fn is_listed(&self, parameter: &str, query: &str) -> bool {
        let (name, value) = parts(parameter);
        match self.when(name) {
            None => false,
            Some(When::Always) => true,
            Some(When::LikeSession) => is_like_session(value),
            Some(When::With(other)) => {
                parameters(query).any(|one| parts(one).0.eq_ignore_ascii_case(other))
            }
        }
    }
}

/// As `split('&')` does it, which is slower where the parts are short.
fn parameters(query: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(query);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| byte == b'&');
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// Name and value. Pages whose links were escaped twice have `amp;` before the name.
fn parts(parameter: &str) -> (&str, &str) {
    let (name, value) = match parameter.bytes().position(|byte| byte == b'=') {
        Some(at) => (&parameter[..at], &parameter[at + 1..]),
        None => (parameter, ""),
    };
    (name.strip_prefix("amp;").unwrap_or(name), value)
}
