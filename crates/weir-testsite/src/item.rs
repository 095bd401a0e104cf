//! The URLs of a host: what there is, which number it counts under, how its path is written.

use crate::spec::HostSpec;

/// Something a host has under a path of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Page(u32),
    Copy(u32),
    File(u32),
    Redirect(u32),
    Dead(u32),
    Private(u32),
}

/// The looks of a page's path, as on real sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Root,
    Html,
    Folder,
    Query,
    Deep,
}

/// How many folders `Shape::Deep` spreads over.
const FOLDERS: u32 = 7;

pub(crate) fn shape(page: u32) -> Shape {
    match page % 4 {
        _ if page == 0 => Shape::Root,
        0 => Shape::Html,
        1 => Shape::Folder,
        2 => Shape::Query,
        _ => Shape::Deep,
    }
}

/// All extras of a host (everything but pages), in the order of their numbers.
pub(crate) fn extras(host: &HostSpec) -> u32 {
    host.duplicates + host.files + host.redirects + host.dead_links + host.private
}

/// The item counted under `number`: pages first, then the extras.
pub(crate) fn item(host: &HostSpec, number: u32) -> Item {
    let mut left = number;
    let mut among = |count: u32| {
        let found = (left < count).then_some(left);
        left = left.saturating_sub(count);
        found
    };
    if let Some(n) = among(host.pages) {
        Item::Page(n)
    } else if let Some(n) = among(host.duplicates) {
        Item::Copy(n)
    } else if let Some(n) = among(host.files) {
        Item::File(n)
    } else if let Some(n) = among(host.redirects) {
        Item::Redirect(n)
    } else if let Some(n) = among(host.dead_links) {
        Item::Dead(n)
    } else {
        Item::Private(left)
    }
}

/// The inverse of [`item`].
pub(crate) fn number(host: &HostSpec, item: Item) -> u32 {
    let copies = host.pages;
    let files = copies + host.duplicates;
    let redirects = files + host.files;
    let dead = redirects + host.redirects;
    let private = dead + host.dead_links;
    match item {
        Item::Page(n) => n,
        Item::Copy(n) => copies + n,
        Item::File(n) => files + n,
        Item::Redirect(n) => redirects + n,
        Item::Dead(n) => dead + n,
        Item::Private(n) => private + n,
    }
}

/// The page whose body a copy repeats. Never page 0 if there is another, since a second `/`
/// would be odd.
pub(crate) fn original(host: &HostSpec, copy: u32) -> u32 {
    if host.pages == 1 { 0 } else { 1 + copy % (host.pages - 1) }
}

/// Whether some copy repeats this page. Its links must then mean the same from anywhere.
pub(crate) fn is_copied(host: &HostSpec, page: u32) -> bool {
    if host.pages == 1 { host.duplicates > 0 } else { page > 0 && page <= host.duplicates }
}

/// Appends the path of `item`; `amp` is how `&` is written there, `&amp;` in HTML.
pub(crate) fn write_path(out: &mut Vec<u8>, item: Item, amp: &[u8]) {
    match item {
        Item::Page(page) => write_page_path(out, page, amp),
        Item::Copy(n) => parts(out, b"/copy/", n, b".html"),
        Item::File(n) => parts(out, b"/files/", n, file_type(n).0),
        Item::Redirect(n) => parts(out, b"/go/", n, b""),
        Item::Dead(n) => parts(out, b"/gone/", n, b".html"),
        Item::Private(n) => parts(out, b"/private/", n, b".html"),
    }
}

fn write_page_path(out: &mut Vec<u8>, page: u32, amp: &[u8]) {
    match shape(page) {
        Shape::Root => out.push(b'/'),
        Shape::Html => parts(out, b"/p/", page, b".html"),
        Shape::Folder => parts(out, b"/dir/", page, b"/"),
        Shape::Query => {
            parts(out, b"/q?id=", page, amp);
            out.extend_from_slice(b"x=1");
        }
        Shape::Deep => {
            parts(out, b"/deep/", page % FOLDERS, b"/");
            parts(out, b"", page, b".html");
        }
    }
}

fn parts(out: &mut Vec<u8>, before: &[u8], number: u32, after: &[u8]) {
    out.extend_from_slice(before);
    write_number(out, number);
    out.extend_from_slice(after);
}

pub(crate) fn write_number(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break out.extend_from_slice(&digits[start..]);
        }
    }
}

/// Ending and content type of a file.
pub(crate) fn file_type(file: u32) -> (&'static [u8], &'static str) {
    match file % 3 {
        0 => (b".pdf", "application/pdf"),
        1 => (b".jpg", "image/jpeg"),
        _ => (b".txt", "text/plain"),
    }
}

/// The item a request path means, if the host has it under exactly this path.
pub(crate) fn parse_path(host: &HostSpec, path: &[u8]) -> Option<Item> {
    let second = path.get(1).copied().unwrap_or(0);
    // The last number of the path, but for the query `x=1`, is the item's.
    let end = if second == b'q' { path.len().checked_sub(4)? } else { path.len() };
    let read = last_number(&path[..end]).unwrap_or(0);
    let (item, count) = match path {
        _ if path.starts_with(b"/copy/") => (Item::Copy(read), host.duplicates),
        _ if path.starts_with(b"/files/") => (Item::File(read), host.files),
        _ if path.starts_with(b"/go/") => (Item::Redirect(read), host.redirects),
        _ if path.starts_with(b"/gone/") => (Item::Dead(read), host.dead_links),
        _ if path.starts_with(b"/private/") => (Item::Private(read), host.private),
        _ => (Item::Page(read), host.pages),
    };
    // Writing the path again and comparing keeps one definition of what paths look like.
    let mut again = Vec::with_capacity(path.len() + 8);
    write_path(&mut again, item, b"&");
    (read < count && again == path).then_some(item)
}

fn last_number(path: &[u8]) -> Option<u32> {
    let end = path.iter().rposition(u8::is_ascii_digit)? + 1;
    let start = path[..end].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
    std::str::from_utf8(&path[start..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> HostSpec {
        HostSpec::pages(9).duplicates(2).files(3).redirects(4).dead_links(5).private(6)
    }

    #[test]
    fn every_item_is_found_under_its_number_and_its_path() {
        let host = host();
        for n in 0..host.pages + extras(&host) {
            let item = item(&host, n);
            assert_eq!(number(&host, item), n);
            let mut path = Vec::new();
            write_path(&mut path, item, b"&");
            assert_eq!(parse_path(&host, &path), Some(item), "{}", String::from_utf8_lossy(&path));
        }
    }

    #[test]
    fn a_path_written_otherwise_is_nothing() {
        for path in
            ["", "/p/04.html", "/p/5.html", "/p/4", "/q?id=2", "/q", "/dir/5", "/p/400.html"]
        {
            assert_eq!(parse_path(&host(), path.as_bytes()), None, "{path}");
        }
    }
}
