use super::*;

/// The tree as text: `name(…)` for an element, quoted text for a text.
fn shape(html: &str) -> String {
    let mut builder = Builder::new();
    let tree = builder.build(html);
    let mut out = String::new();
    for child in tree.children(Tree::ROOT) {
        show(&tree, child, &mut out);
    }
    out
}

fn show(tree: &Tree<'_>, id: Id, out: &mut String) {
    if !out.is_empty() && !out.ends_with('(') {
        out.push(' ');
    }
    if tree.is_text(id) {
        out.push_str(&format!("{:?}", tree.text(id)));
        return;
    }
    out.push_str(tree.written_name(id));
    out.push('(');
    tree.children(id).for_each(|child| show(tree, child, out));
    out.push(')');
}

#[test]
fn elements_stand_where_a_browser_has_them() {
    for (html, expected) in [
        ("<p>a<p>b<div>c</div>d", r#"p("a") p("b") div("c") "d""#),
        (
            "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e",
            r#"ul(li("a") li("b" ul(li("c"))) li("d")) "e""#,
        ),
        ("<b>a<i>b</b>c</i>", r#"b("a" i("b")) "c""#),
        ("<b><div>a</b>b</div>c", r#"b(div("a" "b") "c")"#),
        ("<div>a</p>b</span>c</div>", r#"div("a" "b" "c")"#),
        (
            "<table><tr><td>a<td>b<tr><th>c</table>d",
            r#"table(tr(td("a") td("b")) tr(th("c"))) "d""#,
        ),
        ("<table><tr><td></div>a</table>", r#"table(tr(td("a")))"#),
        (
            "<table><tr><td><table><tr><td>a</table>b<td>c</table>",
            r#"table(tr(td(table(tr(td("a"))) "b") td("c")))"#,
        ),
        ("a<br>b<br/>c</br><img src=x>d", r#""a" br() "b" br() "c" img() "d""#),
        ("<dl><dt>a<dd>b<dt>c</dl>", r#"dl(dt("a") dd("b") dt("c"))"#),
        ("<script>if (a < b) '</p>'</script>x", r#"script("if (a < b) '</p>'") "x""#),
        ("<style>a{}</style><textarea><b></textarea>x", r#"style("a{}") textarea("<b>") "x""#),
        ("<x-card a=b>c</x-card><x-y/>d", r#"x-card("c") x-y() "d""#),
        ("<x-a><x-b>c</x-a>d", r#"x-a(x-b("c")) "d""#),
        ("a<!-- <p> -->b<!doctype html>c<?x?>d", r#""a" "b" "c" "d""#),
        ("<h1>a<h2>b</h2>", r#"h1("a") h2("b")"#),
        (
            "<html lang=de><head><title>a</title><body>b</body>c</html>d<body>e",
            r#"html(head(title("a")) body("b" "c" "d" "e"))"#,
        ),
        ("a < b <3 &amp; c", r#""a < b <3 & c""#),
        ("<svg><path/><title>a</title></svg>b", r#"svg(path() title("a")) "b""#),
        ("<a href=1>a<a href=2>b", r#"a("a") a("b")"#),
        ("<p", ""),
    ] {
        assert_eq!(shape(html), expected, "{html}");
    }
}

#[test]
fn a_subtree_is_a_stretch_of_the_list() {
    let mut builder = Builder::new();
    let tree = builder.build("<div><p>a<b>c</b></p></div><i>d</i>");
    let ids: Vec<Id> = tree.children(Tree::ROOT).collect();
    let [div, i] = ids[..] else { panic!() };
    assert_eq!(tree.descendants(div).count(), 4);
    assert_eq!((tree.end(div), tree.next_sibling(div)), (i, Some(i)));
    let text = tree.descendants(div).last().unwrap();
    assert!(tree.contains(div, text) && !tree.contains(i, text));
    let names: Vec<Name> = tree.ancestors(text).map(|id| tree.name(id)).collect();
    assert_eq!(names, [Name::B, Name::P, Name::Div, Name::Other]);
}

#[test]
fn attributes_are_decoded_and_the_first_counts() {
    let mut builder = Builder::new();
    let tree = builder.build("<a HREF='?a=1&amp;b' class=x href=no title>t</a>");
    let a = Id(1);
    assert_eq!(tree.attribute(a, "href").as_deref(), Some("?a=1&b"));
    assert_eq!(tree.attribute(a, "class").as_deref(), Some("x"));
    assert_eq!(tree.attribute(a, "title").as_deref(), Some(""));
    assert_eq!(tree.attribute(a, "id"), None);
    assert_eq!((tree.written_name(a), tree.attributes(a).count()), ("a", 4));
}

#[test]
fn text_is_collected_in_words() {
    for (html, expected) in [
        ("<p>a <b>b</b>c</p><p>d</p>", "a bc d"),
        ("<div>a<div>b</div>c</div>", "a b c"),
        ("<p>a<br>b&nbsp;&amp; c<script>x</script><noscript>y</noscript>d", "a b & cd"),
        ("<ul><li>a</li><li>b</li></ul>", "a b"),
        (" \n ", ""),
    ] {
        let mut builder = Builder::new();
        assert_eq!(builder.build(html).collected(Tree::ROOT), expected, "{html}");
    }
}

#[test]
fn what_is_nested_without_end_is_read_to_the_end() {
    let mut builder = Builder::new();
    let deep = "<div>".repeat(100_000) + "x";
    assert_eq!(builder.build(&deep).collected(Tree::ROOT), "x");
    let wide = "<p>".repeat(2_000_000);
    assert!(builder.build(&wide).len() <= MAX);
    const MAX: usize = (1 << 18) + 1;
}
