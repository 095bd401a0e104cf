//! Fields, a topic and a rule over one page, and how long each takes.
//!
//! `cargo run --release -p weir-content --example keep [FILE]`

use std::hint::black_box;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value as Json};
use url::Url;
use weir_content::fields::{Field, FieldSettings, Fields};
use weir_content::rules::{Known, Record, Rule, Value};
use weir_content::topic::{Topic, Words};
use weir_parse::tree::{Builder, Tree};

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let html = match std::env::args().nth(1) {
        Some(path) => String::from_utf8_lossy(&std::fs::read(path)?).into_owned(),
        None => usual_page(),
    };
    let url = Url::parse("https://shop.example/recalls/eggs")?;
    let fields = fields()?;
    let topic = food_safety()?;
    let rule = rule(&fields)?;

    let mut builder = Builder::new();
    let tree = builder.build(&html);
    let text = tree.collected(Tree::ROOT);
    let words = Words::of("Egg recall", &text);
    let found = fields.read(&tree, &url);
    let page = Page { url: url.as_str(), text: &text, fields: &found, score: topic.score(&words) };
    println!("{} bytes, {} nodes, {} words", html.len(), tree.len(), words.len());
    println!("{}", serde_json::to_string_pretty(&found)?);
    println!("topic {:.3}, kept: {}", page.score, rule.holds(&page, Timestamp::now()));

    time("fields", || fields.read(&tree, &url).len());
    for (css, many) in [
        ("div.product > span.price", false),
        ("h1", false),
        ("figure img", true),
        ("ul.tags li:not(.more)", true),
        ("[itemprop=sku]", false),
        ("nosuch", true),
        (".nosuch", true),
        ("li.nosuch", true),
        ("img", true),
        ("*", false),
    ] {
        let f = Fields::new(vec![Field::new(
            "x",
            &FieldSettings { css: css.to_owned(), attr: None, kind: None, many },
        )?]);
        time(css, || f.read(&tree, &url).len());
    }
    time("words", || Words::of("Egg recall", &text).len());
    time("topic", || topic.score(&words));
    time("link", || {
        topic.link_score("Egg recall widened", "https://shop.example/2026/egg-recall", 0.5)
    });
    time("rule", || rule.holds(&page, Timestamp::UNIX_EPOCH));
    Ok(())
}

fn fields() -> Result<Fields, AnyError> {
    let field = |name: &str, css: &str, kind: &str, many| {
        let kind = Some(kind.to_owned());
        Field::new(name, &FieldSettings { css: css.to_owned(), attr: None, kind, many })
    };
    Ok(Fields::new(vec![
        field("price", "div.product > span.price", "number", false)?,
        field("title", "h1", "text", false)?,
        field("images", "figure img", "url", true)?,
        field("tags", "ul.tags li:not(.more)", "text", true)?,
        field("sku", "[itemprop=sku]", "text", false)?,
    ]))
}

fn food_safety() -> Result<Topic, AnyError> {
    let terms = ["food safety", "recall^2", "salmonella", "contamina*"].map(str::to_owned);
    Ok(Topic::new("food safety", &terms, &[], &[])?)
}

fn rule(fields: &Fields) -> Result<Rule, AnyError> {
    let of = |field: &Field| (field.name().to_owned(), field.kind().of_rule());
    let known = Known {
        fields: fields.fields().iter().map(of).collect(),
        topics: vec!["food safety".to_owned()],
    };
    let text = r#"topic("food safety") > 0.2 and url matches "^https://" and fields.price < 20"#;
    Ok(Rule::new(text, &known)?)
}

struct Page<'p> {
    url: &'p str,
    text: &'p str,
    fields: &'p Map<String, Json>,
    score: f32,
}

impl Record for Page<'_> {
    fn get(&self, name: &str) -> Value<'_> {
        match name {
            "url" => Value::text(self.url),
            "text" => Value::text(self.text),
            _ => match name.strip_prefix("fields.").and_then(|field| self.fields.get(field)) {
                Some(json) => Value::of_json(json),
                None => Value::Null,
            },
        }
    }

    fn topic(&self, _: &str) -> Option<f64> {
        Some(self.score.into())
    }
}

/// The shortest mean of many short rounds: others may use the machine.
fn time<T>(what: &str, mut run: impl FnMut() -> T) {
    const TIMES: u32 = 20;
    let mut best = Duration::MAX;
    for _ in 0..1_000 {
        let start = Instant::now();
        for _ in 0..TIMES {
            black_box(run());
        }
        best = best.min(start.elapsed() / TIMES);
    }
    println!("{what:8} {:8.2} us", best.as_nanos() as f64 / 1e3);
}

/// About 90 KB with 3,000 nodes and 1,000 words of text.
fn usual_page() -> String {
    let link = "<li class='nav-item menu-item level-2'><a class='nav-link' href='/c/cheese-and-eggs?sort=new' \
        title='Cheese and eggs'>Cheese</a></li>";
    let text = "<p class='article-text'>The agency said on <b>Monday</b> that the eggs of three farms are \
        no longer sold, and asked whoever bought some of them to bring them back to the shop.</p>";
    let card = "<div class='card shadow'><div class='card-body'><h3 class='card-title'>Other</h3><span \
        class='card-price'>5,00</span><img class='card-img lazy' data-src='/i.jpg' alt=''></div></div>";
    format!(
        "<html lang=en><head><title>Egg recall</title></head><body><nav><ul class=menu>{}</ul></nav>\
        <div class=product><h1>Egg recall</h1><span class='price big'>$ 12.99</span><figure>\
        <img src='/eggs.jpg'></figure><ul class=tags><li>eggs<li>salmonella<li class=more>…</ul></div>\
        <main>{}<p>A recall is a matter of food safety.</p></main><div class=cards>{}</div></body></html>",
        link.repeat(150),
        text.repeat(34),
        card.repeat(200)
    )
}
