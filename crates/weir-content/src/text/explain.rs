use super::*;
use weir_parse::tree::{Id, Tree};

pub fn explain(tree: &Tree<'_>) -> String {
    let cut::Nodes { signs, counts, gone: g0 } = cut::first(tree);
    let all0 = blocks::of(tree, &counts, &g0);
    let m = main_text(tree);
    let rough = sums::of(tree, &all0);
    let mut g1 = g0.clone();
    cut::second(tree, &signs, &rough, &mut g1);
    let all = blocks::of(tree, &counts, &g1);
    let sums = sums::of(tree, &all);
    let root = choose::root(tree, &signs, &sums);
    let mut out = String::new();
    out += &format!(
        "root {} {} sum {:?} page {:?}\n",
        root.0,
        path(tree, root, 20, &signs),
        sums[root.0 as usize],
        sums[0]
    );
    let kept: std::collections::HashSet<u32> = m.kept.iter().map(|b| b.first).collect();
    for b in &all0 {
        let mut text = plain::write(tree, &[*b], &g0);
        text = text.replace('\n', "⏎");
        let short: String = text.chars().take(110).collect();
        let why = tree.ancestors(Id(b.first)).find(|i| g1[i.0 as usize]);
        let state = if kept.contains(&b.first) {
            "KEEP".to_string()
        } else if let Some(w) = why {
            format!("cut by {}", path(tree, w, 1, &signs))
        } else if !tree.contains(root, Id(b.first)) {
            "outside".into()
        } else if let Some(w) = tree.ancestors(Id(b.first)).find(|i| m.gone[i.0 as usize]) {
            format!("links {}", path(tree, w, 1, &signs))
        } else {
            "dropped".into()
        };
        let inside = if tree.contains(root, Id(b.first)) { "*" } else { " " };
        out += &format!(
            "{inside}{state} | {}/{} pr {} | {} | {short}\n",
            b.letters,
            b.linked,
            sums::prose(tree, b),
            path(tree, Id(b.owner), 3, &signs)
        );
    }
    out
}

fn path(tree: &Tree<'_>, id: Id, n: usize, signs: &[signs::Signs]) -> String {
    let mut parts = vec![];
    let mut one = |i: Id| {
        let c = tree.raw_attribute(i, "class").unwrap_or("");
        let d = tree.raw_attribute(i, "id").unwrap_or("");
        let c: String = c.chars().take(50).collect();
        parts.push(format!(
            "{}{}{}{}{}:{:?}",
            tree.written_name(i),
            if d.is_empty() { "" } else { "#" },
            d,
            if c.is_empty() { "" } else { "." },
            c.split_whitespace().collect::<Vec<_>>().join("."),
            signs[i.0 as usize]
        ));
    };
    one(id);
    for a in tree.ancestors(id).take(n - 1) {
        one(a);
    }
    parts.join(" < ").replace("Signs(0)", "").replace("Signs", "")
}
