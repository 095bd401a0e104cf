/// The URLs of a `srcset`, as the standard splits it: `a.png 1x, b.png 2x`.
pub(crate) fn urls(srcset: &str) -> impl Iterator<Item = &str> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        let bare = url.trim_end_matches(',');
        // A comma at the end of the URL ends the candidate; otherwise descriptors follow.
        rest = if bare.len() < url.len() { after } else { after_descriptors(after) };
        Some(bare)
    })
}

/// A comma within parentheses belongs to the descriptor.
fn after_descriptors(text: &str) -> &str {
    let mut depth = 0_u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_candidate_gives_its_url() {
        for (srcset, expected) in [
            ("a.png", vec!["a.png"]),
            ("a.png 1x, b.png 2x", vec!["a.png", "b.png"]),
            (" ,a.png, b.png 2x,c.png", vec!["a.png", "b.png", "c.png"]),
            ("a,b.png 1x", vec!["a,b.png"]),
            ("a.png (x,y) 1x, b.png", vec!["a.png", "b.png"]),
            ("", vec![]),
        ] {
            assert_eq!(urls(srcset).collect::<Vec<_>>(), expected, "{srcset}");
        }
    }
}
