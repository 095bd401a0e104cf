//! The body of a page: links in running text, and things that only look like links.

use crate::href::write_anchor;
use crate::item::{is_copied, write_number};
use crate::layout::Layout;
use crate::links::links;
use crate::rng::Rng;

/// What stands between the title and the text. Each of these names a path that no browser would
/// follow from here, so who asks for `/false/…` has read the page wrongly.
const TRAPS: &[u8] = b"</title>\n\
<style>p{margin:1em}/* <a href=\"/false/style\"> */</style>\
<script>var more='<a href=\"/false/script\">more</a>';</script>\n\
</head><body>\n<!-- <a href=\"/false/comment\">old</a> -->\
<b data-href=\"/false/data\"></b><textarea><a href=\"/false/textarea\">x</a></textarea>\n";

const END: &[u8] = b"</p>\n</body></html>\n";

/// Appends the page. The same edition of the same page of the same layout is always the same bytes.
pub(crate) fn write_page(out: &mut Vec<u8>, layout: &Layout, host: usize, page: u32, edition: u32) {
    let spec = &layout.hosts[host].spec;
    let mut rng = match edition {
        0 => layout.rng(host, page),
        _ => Rng::of(layout.seed.wrapping_add(u64::from(edition) << 32), host, page),
    };
    let size = page_bytes(layout, host, page);
    out.reserve(size + 256);
    let start = out.len();
    write_head(out, host, page);

    let targets = links(layout, host, page);
    let anywhere = is_copied(spec, page);
    // Text is shared out between the links; what rounding and short links leave goes to the end.
    let room = size.saturating_sub(out.len() - start + targets.len() * 70 + END.len());
    let gap = room / (targets.len() + 1);
    for target in targets {
        out.extend_from_slice(b"<p>");
        layout.filler.copy(out, rng.next(), gap);
        write_anchor(out, layout, (host, page), target, anywhere, &mut rng);
        layout.filler.copy(out, rng.next(), 9);
        out.extend_from_slice(b"</a></p>\n");
    }
    out.extend_from_slice(b"<p>");
    let rest = size.saturating_sub(out.len() - start + END.len());
    layout.filler.copy(out, rng.next(), rest);
    out.extend_from_slice(END);
}

/// A page of its own size in the host's range.
fn page_bytes(layout: &Layout, host: usize, page: u32) -> usize {
    let range = &layout.hosts[host].spec.page_bytes;
    let span = range.end().saturating_sub(*range.start()).min(u32::MAX as usize - 1);
    range.start() + layout.rng(host, !page).below(span as u32 + 1) as usize
}

fn write_head(out: &mut Vec<u8>, host: usize, page: u32) {
    out.extend_from_slice(
        b"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>",
    );
    out.extend_from_slice("Page № ".as_bytes());
    write_number(out, page);
    out.extend_from_slice(b" of site ");
    write_number(out, host as u32);
    out.extend_from_slice(TRAPS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{HostSpec, Spec};

    #[test]
    fn a_page_has_its_size_to_the_byte_when_the_links_leave_room() {
        let spec = HostSpec::pages(100).page_bytes(27_000..=27_000).links_per_page(33);
        let layout = Layout::new(Spec::new(vec![spec]), 65_535);
        for page in 0..100 {
            let mut body = Vec::new();
            write_page(&mut body, &layout, 0, page, 0);
            assert_eq!(body.len(), 27_000, "page {page}");
        }
    }

    #[test]
    fn the_small_benchmark_pages_are_about_a_kilobyte() {
        let layout = Layout::new(Spec::bench_small(), 65_535);
        for page in (0..200_000).step_by(997) {
            let mut body = Vec::new();
            write_page(&mut body, &layout, 0, page, 0);
            assert!((800..1_300).contains(&body.len()), "page {page}: {}", body.len());
        }
    }
}
