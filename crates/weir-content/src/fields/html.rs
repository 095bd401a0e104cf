use weir_parse::tree::{Id, Tree};

/// An element and all in it as HTML: names in lower case, every element closed, texts as they stand
/// in the page. What is longer than `most` bytes is cut, and what is open then is closed.
pub(super) fn outer(tree: &Tree<'_>, id: Id, most: usize) -> String {
    let mut out = String::new();
    let mut open: Vec<Id> = Vec::new();
    for node in (id.0..tree.end(id).0).map(Id) {
        while let Some(last) = open.pop_if(|last| tree.end(*last) <= node) {
            close(tree, last, &mut out);
        }
        if out.len() > most {
            break;
        }
        if tree.is_text(node) {
            out.push_str(tree.raw_text(node));
        } else {
            start(tree, node, &mut out);
            open.push(node);
        }
    }
    open.iter().rev().for_each(|last| close(tree, *last, &mut out));
    out
}

fn start(tree: &Tree<'_>, id: Id, out: &mut String) {
    out.push('<');
    out.push_str(&tree.written_name(id).to_ascii_lowercase());
    for (name, value) in tree.attributes(id) {
        out.push(' ');
        out.push_str(&name.to_ascii_lowercase());
        if !value.is_empty() {
            out.push_str("=\"");
            out.push_str(&value.replace('&', "&amp;").replace('"', "&quot;"));
            out.push('"');
        }
    }
    out.push('>');
}

fn close(tree: &Tree<'_>, id: Id, out: &mut String) {
    if !tree.name(id).is_void() {
        out.push_str("</");
        out.push_str(&tree.written_name(id).to_ascii_lowercase());
        out.push('>');
    }
}
