use memchr::{memchr, memmem};

/// The position behind the next `>`: the end of a doctype, a bogus comment, or `<?...>`.
pub(crate) fn after_greater(html: &[u8], at: usize) -> usize {
    html.get(at..).and_then(|rest| memchr(b'>', rest)).map_or(html.len(), |step| at + step + 1)
}

/// The end of what `<!` began; `at` is behind it. `cdata`: the element it stands in is foreign.
pub(crate) fn declaration_end(html: &[u8], at: usize, cdata: bool) -> usize {
    let rest = html.get(at..).unwrap_or_default();
    if rest.starts_with(b"--") {
        return comment_end(html, at + 2);
    }
    if cdata && rest.starts_with(b"[CDATA[") {
        let end = memmem::find(rest, b"]]>");
        return end.map_or(html.len(), |step| at + step + 3);
    }
    after_greater(html, at) // quotes do not hide the `>` of a doctype
}

/// A comment ends at `-->` or `--!>`, and at once if it goes on with `>` or `->`.
fn comment_end(html: &[u8], from: usize) -> usize {
    let rest = &html[from..];
    if rest.starts_with(b">") {
        return from + 1;
    }
    if rest.starts_with(b"->") {
        return from + 2;
    }
    let mut at = from;
    while let Some(step) = memchr(b'>', &html[at..]) {
        let text = &html[from..at + step];
        at += step + 1;
        if text.ends_with(b"--") || text.ends_with(b"--!") {
            return at;
        }
    }
    html.len()
}
