//! The ways a link can be written.

use crate::item::{Item, Shape, shape, write_number, write_path};
use crate::layout::Layout;
use crate::links::Target;
use crate::rng::Rng;

/// Appends `<a href=…>` for a link on `page` of `host`. `anywhere` asks for a form that means
/// the same on whatever page it stands.
pub(crate) fn write_anchor(
    out: &mut Vec<u8>,
    layout: &Layout,
    (host, page): (usize, u32),
    target: Target,
    anywhere: bool,
    rng: &mut Rng,
) {
    let draw = rng.next();
    let (open, close) = QUOTES[(draw >> 8) as usize % QUOTES.len()];
    out.extend_from_slice(open);
    match draw % 8 {
        0 => absolute(out, layout, b"http://", target),
        1 => absolute(out, layout, b"//", target),
        _ if target.host != host => absolute(out, layout, b"http://", target),
        2..=4 if !anywhere => relative(out, page, target.item),
        _ => write_path(out, target.item, b"&amp;"),
    }
    if (draw >> 16).is_multiple_of(8) {
        out.extend_from_slice(b"#part-");
        write_number(out, (draw >> 24) as u32 % 5);
    }
    out.extend_from_slice(close);
}

/// Attributes are quoted in all the ways HTML allows, with the commonest the most often.
const QUOTES: [(&[u8], &[u8]); 8] = [
    (b"<a href=\"", b"\">"),
    (b"<a href=\"", b"\">"),
    (b"<a href=\"", b"\">"),
    (b"<a href=\"", b"\">"),
    (b"<a class=\"more\" href=\"", b"\" title=\"a > b\">"),
    (b"<a href='", b"'>"),
    (b"<A HREF=\" ", b" \">"),
    (b"<a class=more href=", b" >"),
];

fn absolute(out: &mut Vec<u8>, layout: &Layout, before: &[u8], target: Target) {
    out.extend_from_slice(before);
    out.extend_from_slice(layout.hosts[target.host].authority.as_bytes());
    write_path(out, target.item, b"&amp;");
}

/// The path as seen from `page`: up to the root and down again, shorter between two of a shape.
fn relative(out: &mut Vec<u8>, page: u32, item: Item) {
    let from = shape(page);
    let start = out.len();
    write_path(out, item, b"&amp;");
    let (cut, before): (usize, &[u8]) = match (from, item) {
        (Shape::Html, Item::Page(to)) if shape(to) == from => (b"/p/".len(), b""),
        (Shape::Query, Item::Page(to)) if shape(to) == from => (b"/q".len(), b""),
        (Shape::Folder, Item::Page(to)) if shape(to) == from => (b"/dir/".len(), b"../"),
        (Shape::Deep, Item::Page(to)) if shape(to) == from => (b"/deep/".len(), b"../"),
        (Shape::Root | Shape::Query, _) => (1, b"./"),
        (Shape::Html, _) => (1, b"../"),
        (Shape::Folder | Shape::Deep, _) => (1, b"../../"),
    };
    out.splice(start..start + cut, before.iter().copied());
}
