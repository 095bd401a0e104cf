use proptest::prelude::*;
use serde_json::json;
use weir_parse::tree::Builder;

use super::*;

fn settings(css: &str, attr: Option<&str>, kind: &str, many: bool) -> FieldSettings {
    FieldSettings {
        css: css.to_owned(),
        attr: attr.map(str::to_owned),
        kind: Some(kind.to_owned()),
        many,
    }
}

fn read(html: &str, settings: &FieldSettings) -> Value {
    let field = Field::new("x", settings).unwrap_or_else(|why| panic!("{why}"));
    let mut builder = Builder::new();
    let url = Url::parse("https://shop.example/a/b").unwrap();
    let mut map = Fields::new(vec![field]).read(&builder.build(html), &url);
    map.remove("x").unwrap()
}

/// The texts of all elements that match, with spaces between them.
fn texts(html: &str, css: &str) -> String {
    let found = read(html, &settings(css, None, "text", true));
    let texts = found.as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    texts.collect::<Vec<_>>().join(" ")
}

const SHOP: &str = "<html lang=de><body><div id=top class='box wide'><h1>Käse</h1>\
    <p class=lead>a</p><p>b</p><p class='lead new'>c</p></div>\
    <ul><li>1<li class=x>2<li>3<li data-n=FOUR>4<li>5</ul>\
    <section><x-card><span>s</span></x-card><a href='/img?a=1&amp;b=2' title=''>go</a></section>";

#[test]
fn selectors_find_what_a_browser_finds() {
    for (css, expected) in [
        ("p", "a b c"),
        ("P.lead", "a c"),
        (".lead.new", "c"),
        (".LEAD", ""),
        ("#top h1", "Käse"),
        ("div.wide > p", "a b c"),
        ("body > p", ""),
        ("h1 + p", "a"),
        ("h1 ~ p", "a b c"),
        ("p + p.lead", "c"),
        ("#top > :not(.lead)", "Käse b"),
        (":is(h1, .new)", "Käse c"),
        (":where(h1, .new)", "Käse c"),
        ("div:has(> .new) h1", "Käse"),
        ("ul:has(.new) li", ""),
        ("li:first-child, li:last-child", "1 5"),
        ("li:nth-child(2n)", "2 4"),
        ("li:nth-child(-n+2)", "1 2"),
        ("li:nth-last-child(2)", "4"),
        ("li:nth-child(1 of .x)", "2"),
        ("p:first-of-type", "a"),
        ("p:nth-of-type(2)", "b"),
        ("h1:only-of-type", "Käse"),
        ("span:only-child", "s"),
        ("[data-n]", "4"),
        ("[data-n=FOUR]", "4"),
        ("[data-n=four]", ""),
        ("[data-n=four i]", "4"),
        ("[class~=new]", "c"),
        ("[href^='/img']", "go"),
        ("[href$='b=2']", "go"),
        ("[href*='&b']", "go"),
        ("[lang|=de] h1", "Käse"),
        ("[title='']", "go"),
        ("x-card span", "s"),
        ("X-CARD > *", "s"),
        (":root > body > ul > li.x", "2"),
        ("p, .lead, p.lead", "a b c"),
        ("nosuch", ""),
    ] {
        assert_eq!(texts(SHOP, css), expected, "{css}");
    }
}

#[test]
fn an_element_is_a_value_of_the_type_that_was_asked_for() {
    let page = "<html lang=de><head><base href='https://cdn.example/x/'><meta name=d content=' a  b '>\
        </head><body><p class=t>  a <b>b</b>&amp;\n c</p><span class=p>1.234,56&nbsp;€</span>\
        <span class=k>1.234 Bewertungen</span><data class=v value='1234.500'>1.234,50</data>\
        <time datetime='2026-11-01T10:00:00+02:00'>gestern</time><i class=d>am 01.11.2026</i>\
        <a href='y?q#f'>l</a><img src='/z.png' data-x='//o.example/w'><input name=q value='7'>\
        <div class=h ID=one>x<BR>a < b &amp; c<em a=\"'&quot;\">y</div><button disabled>b</button>";
    for (css, attr, kind, expected) in [
        (".t", None, "text", json!("a b& c")),
        ("meta[name=d]", None, "text", json!("a b")),
        (".p", None, "number", json!(1234.56)),
        (".k", None, "number", json!(1234.0)),
        (".k", None, "integer", json!(1234)),
        (".p", None, "integer", json!(null)),
        (".v", Some("value"), "number", json!(1234.5)),
        ("[name=q]", None, "integer", json!(7)),
        ("time", None, "date", json!("2026-11-01T08:00:00Z")),
        (".d", None, "date", json!("2026-11-01")),
        (".t", None, "date", json!(null)),
        ("a", None, "url", json!("https://cdn.example/x/y?q#f")),
        ("img", None, "url", json!("https://cdn.example/z.png")),
        ("img", Some("data-x"), "url", json!("https://o.example/w")),
        ("img", Some("DATA-X"), "text", json!("//o.example/w")),
        ("button", Some("disabled"), "boolean", json!(true)),
        ("a", Some("disabled"), "boolean", json!(false)),
        (".sold-out", None, "boolean", json!(false)),
        (
            ".h",
            None,
            "html",
            json!("<div class=\"h\" id=\"one\">x<br>a < b &amp; c<em a=\"'&quot;\">y</em></div>"),
        ),
        ("img", None, "text", json!(null)),
        ("nosuch", None, "text", json!(null)),
    ] {
        assert_eq!(read(page, &settings(css, attr, kind, false)), expected, "{css} {kind}");
    }
    assert_eq!(read(page, &settings("nosuch", None, "url", true)), json!([]));
    assert_eq!(read(page, &settings("span", None, "number", true)), json!([1234.56, 1234.0]));
}

#[test]
fn without_many_the_first_that_has_a_value_is_taken() {
    let page = "<b></b><b>x</b><b>12</b><b>13</b>";
    assert_eq!(read(page, &settings("b", None, "text", false)), json!("x"));
    assert_eq!(read(page, &settings("b", None, "number", false)), json!(12.0));
}

#[test]
fn all_fields_are_read_at_once() {
    let fields = [("one", "#top p"), ("two", ".new"), ("three", "nosuch"), ("four", "*")];
    let fields =
        fields.map(|(name, css)| Field::new(name, &settings(css, None, "text", false)).unwrap());
    let mut builder = Builder::new();
    let url = Url::parse("https://shop.example/").unwrap();
    let found = Fields::new(fields.to_vec()).read(&builder.build(SHOP), &url);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 4);
    assert_eq!(
        (&found["one"], &found["two"], &found["three"]),
        (&json!("a"), &json!("c"), &json!(null))
    );
    assert!(found["four"].as_str().unwrap().starts_with("Käse a b c"));
}

#[test]
fn settings_are_read_as_users_write_them() {
    let text = "css = '.price'\nattr = 'content'\ntype = 'number'\nmany = true";
    let read: FieldSettings = toml::from_str(text).unwrap();
    assert_eq!(read, settings(".price", Some("content"), "number", true));
    let short: FieldSettings = toml::from_str("css = 'h1'").unwrap();
    assert_eq!(Field::new("x", &short).unwrap().kind(), Kind::Text);
    assert!(toml::from_str::<FieldSettings>("css = 'h1'\nxpath = '//'").is_err());
}

fn refused(settings: &FieldSettings) -> String {
    let why = Field::new("price", settings).expect_err(&settings.css).to_string();
    assert!(why.contains("field `price`"), "{why}");
    why
}

#[test]
fn a_bad_selector_is_refused_with_its_place_and_a_remedy() {
    for (css, marked, remedy) in [
        ("", "", "for example"),
        ("div > > p", "> p", "for example"),
        ("div >", ">", "for example"),
        ("div, , p", ", p", "for example"),
        ("div..price", "..price", "needs the name of a class"),
        ("p.1st", ".1st", "[class~='123']"),
        ("div p::text", "::text", "the text of the element"),
        ("a::attr(href)", "::attr(href)", "attr = "),
        ("li:contains('x')", ":contains('x')", "cannot be asked for"),
        ("li:nth-chid(2)", ":nth-chid(2)", ":nth-child()"),
        ("p:not(.a, :nosuch)", ":nosuch)", ":not()"),
        ("p:is(.a, :nosuch)", ":nosuch)", ":is()"),
        ("a[href==x]", "==x]", "in quotes"),
        ("a[=x]", "[=x]", "itemprop"),
        ("svg|a", "|a", "without `|`"),
        ("//div[@id]", "//div[@id]", "for example"),
        ("p { }", "{", "for example"),
    ] {
        let why = refused(&settings(css, None, "text", false));
        let lines: Vec<&str> = why.lines().collect();
        let [_, line, mark, _] = lines[..] else { panic!("{why}") };
        assert!(line.trim_start().starts_with(css), "{why}");
        let start = mark.find('^').unwrap();
        let at = line.get(start..).unwrap_or_default();
        assert!(at.starts_with(marked), "{why}");
        assert!(why.contains(remedy), "{why}");
    }
    let deep = ":not(".repeat(100) + "a" + &")".repeat(100);
    assert!(refused(&settings(&deep, None, "text", false)).contains("nested more than"));
    let long = "a ".repeat(10_000) + "a";
    assert!(refused(&settings(&long, None, "text", false)).contains("longer than"));
}

#[test]
fn a_bad_type_or_attribute_is_refused() {
    let why = refused(&settings("p", None, "numbr", false));
    assert!(why.contains("did you mean \"number\"?"), "{why}");
    let why = refused(&settings("p", None, "money", false));
    assert!(why.contains("there is text, number"), "{why}");
    for attr in ["", "a b", "[href]"] {
        assert!(refused(&settings("p", Some(attr), "text", false)).contains("attr = \"href\""));
    }
}

/// A tree and selectors that would take years without bounds.
#[test]
fn work_is_bounded_on_any_page() {
    let wide = "<i></i>".repeat(200_000) + "<b></b>";
    let deep = "<div class=a>".repeat(400) + &"<p>x</p>".repeat(20_000);
    let start = std::time::Instant::now();
    for (page, css) in [
        (&wide, "b ~ i ~ i ~ i ~ u, i ~ i ~ i ~ i ~ u, i:has(~ u)"),
        (&wide, "i:nth-last-child(3n of :not(u ~ i))"),
        (&wide, "i + i + i:has(+ i + i + b)"),
        (&deep, ".a .a .a .a .a > .b p, .a:has(.a .a .a .a p.b)"),
        (&deep, "p:nth-child(odd):not(:nth-child(3n))"),
    ] {
        read(page, &settings(css, None, "text", true));
    }
    for kind in ["text", "html", "number"] {
        let found = read(&deep, &settings("div", None, kind, true));
        let bytes: usize = found.as_array().unwrap().iter().map(|v| v.to_string().len()).sum();
        assert!(bytes < 2 * MAX_BYTES + deep.len(), "{bytes}");
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

fn pieces(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..30).prop_map(|pieces| pieces.concat())
}

const CSS: &[&str] = &[
    "a",
    "li",
    ".x",
    "#y",
    " ",
    ">",
    "+",
    "~",
    ",",
    "*",
    ":not(",
    ":is(",
    ":has(",
    ")",
    "[",
    "]",
    "=",
    "'",
    ":nth-child(",
    "2n+1",
    " of ",
    ":first-child",
    ":root",
    ":empty",
    "|",
    "\\",
    "é",
    "::",
    "@",
    "/*",
    "*/",
];
const HTML: &[&str] = &[
    "<a>",
    "</a>",
    "<li>",
    "<li class=x>",
    "</li>",
    "<ul id=y>",
    "</ul>",
    "<table>",
    "<tr>",
    "<td class='x z'>",
    "</table>",
    "t",
    " ",
    "&amp;",
    "<br>",
    "<!--",
    "-->",
    "<p",
    ">",
    "é",
    "<template>",
    "<base href=':'>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_selector_and_no_page_makes_reading_panic(
        css in prop_oneof![pieces(CSS), ".{0,40}"],
        html in prop_oneof![pieces(HTML), ".{0,60}"],
        kind in prop::sample::select(vec!["text", "number", "integer", "date", "url", "html"]),
    ) {
        if let Ok(field) = Field::new("x", &settings(&css, None, kind, true)) {
            let mut builder = Builder::new();
            let url = Url::parse("https://shop.example/").unwrap();
            prop_assert!(Fields::new(vec![field]).read(&builder.build(&html), &url).contains_key("x"));
        }
    }

    #[test]
    fn no_text_makes_reading_a_number_or_a_date_panic(text in "[0-9٣.,' \u{a0}a-cN€$:/TZ+-]{0,30}") {
        let number = number::read(&text, number::Style::Comma);
        prop_assert!(number.is_none_or(f64::is_finite));
        prop_assert!(date::read(&text, "en").is_none_or(|date| date.len() >= 10));
    }
}

#[test]
fn a_base_without_end_does_not_make_the_addresses_of_a_page_take_all_memory() {
    let page = format!("<base href='/{}/'>", "a".repeat(1 << 20)) + &"<img src=x>".repeat(1000);
    let found = read(&page, &settings("img", None, "url", true));
    let bytes: usize =
        found.as_array().unwrap().iter().map(|url| url.as_str().unwrap().len()).sum();
    assert!(bytes <= MAX_BYTES + (2 << 20), "{bytes}");
}
