use url::Url;

use super::lists::PARAMETERS;
use super::percent;

/// What makes two URLs one page. The default removes what only says who comes and from where.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Names of parameters to remove, by their first byte in lower case.
    names: Vec<Vec<Name>>,
    plain: bool,
}

#[derive(Clone, Debug)]
struct Name {
    /// In lower case.
    text: String,
    /// More may follow.
    open: bool,
    when: When,
}

/// When a parameter of a known name is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// Its value looks like the id of a session.
    LikeSession,
    /// This other one is there too.
    With(&'static str),
}

impl Default for Rules {
    fn default() -> Self {
        let mut rules = Rules { names: vec![Vec::new(); 128], plain: false };
        for (name, when) in PARAMETERS {
            rules.add(name, *when);
        }
        rules
    }
}

impl Rules {
    /// The WHATWG serialisation without user, password and fragment, nothing else changed. Targets
    /// of redirects are taken so: a server that redirects to add a session id, or to write an
    /// escape in its own way, would otherwise be sent back to where it came from.
    pub fn plain() -> Self {
        Rules { names: Vec::new(), plain: true }
    }

    /// Removes these query parameters too. `*` at the end of a name stands for anything; case is
    /// not regarded. Plain rules stay plain.
    pub fn strip<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            self.add(&as_in_queries(name.as_ref()), When::Always);
        }
        self
    }

    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    fn add(&mut self, name: &str, when: When) {
        let text = name.to_ascii_lowercase();
        let (text, open) = match text.strip_suffix('*') {
            Some(start) => (start.to_owned(), true),
            None => (text, false),
        };
        if let Some(slot) = text.bytes().next().and_then(|first| self.names.get_mut(first as usize))
        {
            slot.push(Name { text, open, when });
        }
    }

    /// Whether a name that starts with `first` may be on a list.
    #[inline]
    pub(super) fn knows(&self, first: u8) -> bool {
        self.names.get(first.to_ascii_lowercase() as usize).is_some_and(|names| !names.is_empty())
    }

    /// Under which condition a parameter of this name is removed.
    pub(super) fn when(&self, name: &str) -> Option<When> {
        let first = name.as_bytes().first()?.to_ascii_lowercase();
        let names = self.names.get(first as usize)?;
        names.iter().find(|known| known.matches(name)).map(|known| known.when)
    }
}

impl Name {
    fn matches(&self, name: &str) -> bool {
        match self.open {
            true => name.get(..self.text.len()).is_some_and(|n| n.eq_ignore_ascii_case(&self.text)),
            false => name.eq_ignore_ascii_case(&self.text),
        }
    }
}

/// A name as it stands in a canonical query.
fn as_in_queries(name: &str) -> String {
    let mut url = Url::parse("http://a/").expect("is a URL");
    url.set_query(Some(name));
    let mut text = url.query().unwrap_or_default().to_owned();
    percent::normalise(&mut text, 0);
    text
}

/// 128 bits or more, in hex or as a UUID: no such thing names a page.
pub(super) fn is_like_session(value: &str) -> bool {
    let digits = value.bytes().filter(|byte| byte.is_ascii_hexdigit()).count();
    digits >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
