//! What an item answers, apart from latency, faults and codings: the server's and the truth's
//! common source.

use crate::html::write_page;
use crate::item::{Item, file_type, original, write_path};
use crate::layout::Layout;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) location: Option<String>,
}

pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Appends the body of this edition of `item` and returns the rest of its answer.
pub(crate) fn answer(
    layout: &Layout,
    host: usize,
    item: Item,
    edition: u32,
    body: &mut Vec<u8>,
) -> Answer {
    let mut answer = Answer { status: 200, content_type: HTML, location: None };
    match item {
        Item::Page(page) => write_page(body, layout, host, page, edition),
        Item::Copy(copy) => {
            write_page(body, layout, host, original(&layout.hosts[host].spec, copy), 0);
        }
        Item::File(file) => {
            answer.content_type = file_type(file).1;
            write_file(body, layout, host, file);
        }
        Item::Redirect(n) => {
            let (status, location) = redirect(layout, host, n);
            answer.status = status;
            answer.location = Some(location);
            body.extend_from_slice(b"<!doctype html><title>moved</title>\n");
        }
        Item::Dead(_) => {
            answer.status = 404;
            body.extend_from_slice(b"<!doctype html><title>not found</title>\n");
        }
        Item::Private(_) => {
            body.extend_from_slice(b"<!doctype html><title>private</title><p>Keep out.</p>\n");
        }
    }
    answer
}

fn write_file(body: &mut Vec<u8>, layout: &Layout, host: usize, file: u32) {
    let magic: &[u8] = match file % 3 {
        0 => b"%PDF-1.4\n",
        1 => b"\xff\xd8\xff\xe0\x00\x10JFIF\x00",
        _ => b"",
    };
    body.extend_from_slice(magic);
    let range = &layout.hosts[host].spec.page_bytes;
    layout.filler.copy(body, layout.rng(host, file).next(), *range.end());
}

/// Status and `location`. Every fourth leads to the redirect before it, and every second names
/// its target without the host.
fn redirect(layout: &Layout, host: usize, n: u32) -> (u16, String) {
    let status = [301, 302, 307, 308][n as usize % 4];
    let target = redirect_target(layout, host, n);
    if n.is_multiple_of(2) {
        return (status, layout.url(host, target));
    }
    let mut path = Vec::new();
    write_path(&mut path, target, b"&");
    (status, String::from_utf8(path).expect("paths are ascii"))
}

pub(crate) fn redirect_target(layout: &Layout, host: usize, n: u32) -> Item {
    if n % 4 == 3 {
        return Item::Redirect(n - 1);
    }
    let pages = layout.hosts[host].spec.pages;
    Item::Page(layout.rng(host, u32::MAX - n).below(pages))
}
