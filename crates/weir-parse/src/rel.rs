/// The words of a `rel` attribute that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rel {
    pub nofollow: bool,
    pub canonical: bool,
    /// `next`, `prev` or `alternate`.
    pub related: bool,
    /// A style sheet, an icon, or something fetched ahead.
    pub asset: bool,
}

impl Rel {
    pub fn of(raw: &[u8]) -> Self {
        let mut rel = Rel::default();
        let words = raw.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        for word in words {
            let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
            rel.nofollow |= is("nofollow");
            rel.canonical |= is("canonical");
            rel.related |= is("next") || is("prev") || is("alternate");
            rel.asset |= ASSETS.iter().any(|name| is(name));
        }
        if rel.asset {
            rel.related = false; // `alternate stylesheet` is a style sheet
        }
        rel
    }
}

const ASSETS: [&str; 8] = [
    "stylesheet",
    "icon",
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "mask-icon",
    "manifest",
    "preload",
    "modulepreload",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_order() {
        let rel = Rel::of(b"noopener\tNoFollow ");
        assert_eq!(rel, Rel { nofollow: true, ..Rel::default() });
        assert!(Rel::of(b"prev").related && Rel::of(b"Canonical").canonical);
        assert!(
            Rel::of(b"alternate stylesheet").asset && !Rel::of(b"alternate stylesheet").related
        );
        assert_eq!(Rel::of(b"nofollowed"), Rel::default());
    }
}
