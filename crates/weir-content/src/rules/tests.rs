use proptest::prelude::*;

use super::*;

/// A record of an article.
struct Article;

impl Record for Article {
    fn get(&self, name: &str) -> Value<'_> {
        match name {
            "title" => Value::text("Salmonella in Eggs"),
            "url" => Value::text("https://news.example/2026/11/eggs"),
            "lang" => Value::text("en"),
            "published" => Value::Time(at("2026-11-10T08:00:00Z")),
            "text" => Value::text("Ähnliche Eier"),
            "depth" => Value::Number(2.0),
            "bytes" => Value::Number(120_000.0),
            "videos" => Value::list(&["https://a.example/", "https://b.example/"]),
            "fields.price" => Value::Number(12.5),
            "fields.sold-out" => Value::Boolean(true),
            "fields.until" => Value::text("2026-11-20"),
            _ => Value::Null,
        }
    }

    fn topic(&self, name: &str) -> Option<f64> {
        (name == "food safety").then_some(0.7)
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn known() -> Known {
    let field = |name: &str, kind| (name.to_owned(), kind);
    Known {
        fields: vec![
            field("price", Type::Number),
            field("old-price", Type::Number),
            field("sold-out", Type::Boolean),
            field("until", Type::Time),
            field("note", Type::Any),
        ],
        topics: vec!["food safety".to_owned(), "empty".to_owned()],
    }
}

fn holds(text: &str) -> bool {
    let rule = Rule::new(text, &known()).unwrap_or_else(|why| panic!("{text}\n{why}"));
    rule.holds(&Article, at("2026-11-12T08:00:00Z"))
}

#[test]
fn a_rule_says_which_records_are_kept() {
    for rule in [
        r#"published >= now - 7d and lang in ["en", "de"] and topic("food safety") > 0.4
            and not (url matches "^https://x/" or fields.price == null)"#,
        r#"published > "2026-11-01" and published < "2026-11-10T09:00:00Z""#,
        "published + 2d == now",
        "now - published == 48h",
        "days_since(published) == 2",
        r#"title contains "Eggs" and not (title contains "eggs") and lower(title) contains "eggs""#,
        "length(text) == 13 and length(videos) == 2",
        r#"videos contains "https://a.example/" and videos matches "b\.example""#,
        r#""https://b.example/" in videos"#,
        "bytes > 100KB and bytes <= 0.12MB",
        "fields.sold-out",
        "fields.sold-out == true",
        r#"fields.until > now and fields.until == "2026-11-20T00:00:00Z""#,
        "depth - 1 == 1 and -depth < 0 and depth - -1 == 3",
        r#"lang not in ["de"]"#,
        "true or false and false",
        "not false and true",
        "not not true",
        "(((true)))",
        r#"url matches '/\d{4}/'"#,
        "depth in [1, 2, 3,]",
    ] {
        assert!(holds(rule), "{rule}");
    }
    for rule in [
        "published < now - 7d",
        r#"topic("food safety") > 0.7"#,
        "not true or false",
        "(true or false) and false",
        r#"lang in []"#,
        "not fields.sold-out",
    ] {
        assert!(!holds(rule), "{rule}");
    }
}

#[test]
fn comparison_with_null_is_false_and_null_can_be_asked_for() {
    for rule in [
        "author == null",
        "null == author",
        "title != null",
        "not (modified > now)",
        "not (fields.old-price != 3)",
        r#"topic("empty") == null"#,
        "modified + 7d == null",
        "length(author) == null",
        r#"not (author in ["x", null])"#,
    ] {
        assert!(holds(rule), "{rule}");
    }
    for rule in [
        "modified > now",
        "modified <= now",
        "fields.old-price < 3",
        "fields.old-price >= 3",
        "fields.old-price != 3",
        r#"author == "x""#,
        r#"author != "x""#,
        r#"author contains "x""#,
        r#"author matches """#,
        r#"author in ["x"]"#,
        r#"topic("empty") >= 0"#,
    ] {
        assert!(!holds(rule), "{rule}");
    }
}

/// The message has what is wrong, the mark below `marked`, and the remedy.
fn refused(text: &str, what: &str, marked: &str, remedy: &str) {
    let why = match Rule::new(text, &known()) {
        Ok(rule) => panic!("{text} was read as {rule:?}"),
        Err(why) => why.to_string(),
    };
    let lines: Vec<&str> = why.lines().collect();
    let [first, line, mark, last] = lines[..] else { panic!("{why}") };
    assert!(first.contains(what), "{why}");
    assert!(last.contains(remedy), "{why}");
    let is_marked = |(at, c): (usize, char)| (mark.chars().nth(at) == Some('^')).then_some(c);
    let found: String = line.chars().enumerate().filter_map(is_marked).collect();
    assert_eq!(found, marked, "{why}");
}

#[test]
fn an_unknown_name_is_refused_with_the_one_that_was_meant() {
    refused("publishd > now", "unknown name `publishd`", "publishd", "did you mean `published`?");
    refused("lang == null and Titel == null", "`Titel`", "Titel", "did you mean `title`?");
    refused("xyzzy == 1", "`xyzzy`", "xyzzy", "there is url, site");
    refused("fields.prise > 1", "`fields.prise`", "fields.prise", "`fields.price`?");
    refused("fields.colour == 'x'", "`fields.colour`", "fields.colour", "[site.fields]");
    refused("price > 1", "unknown name `price`", "price", "did you mean `fields.price`?");
    refused("size(text) > 1", "unknown function `size`", "size", "length(x)");
    refused("lenght(text) > 1", "unknown function", "lenght", "did you mean `length(…)`?");
    refused(r#"topic("food safty") > 0"#, "topic", r#""food safty""#, r#""food safety"?"#);
    refused(r#"topic("sport") > 0"#, "topic", r#""sport""#, "[topic.\"sport\"]");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    refused(r#"published > "abc""#, "is no date", r#""abc""#, "2026-11-01");
    refused("published > 7d", "a time and `7d` is a duration", "published > 7d", "`now - 7d`");
    refused("published < 3", "a number", "published < 3", "days_since(published)");
    refused(r#"published == "2026-11-01""#, "a day", r#""2026-11-01""#, ">= \"2026-11-01\"");
    refused(r#"depth > "2""#, "a text", r#"depth > "2""#, "without quotes");
    refused("videos > 2", "a list", "videos > 2", "length(videos)");
    refused("title > null", "null", "title > null", "title == null");
    refused("true < false", "true or false", "true < false", "`and`");
    refused(r#"lang in ["en", 3]"#, "a number", r#"lang in ["en", 3"#, "quotes");
    refused(r#"lang in "en""#, "not a list", r#""en""#, "contains");
    refused(r#"depth contains 2"#, "cannot contain", "depth contains 2", "texts");
    refused("title contains 2", "cannot contain", "title contains 2", "in quotes");
    refused(r#"depth matches "2""#, "only texts match", "depth", "==");
    refused("title matches lang", "no regular expression", "lang", "in quotes");
    refused(r#"title matches "a(b""#, "unclosed group", r#""a(b""#, "backslash");
    refused(r#"title matches "(\\pL{99}){99}{99}""#, "too large", r#""(\\pL{99}){99}{99}""#, "");
    refused("now + now > 3d", "is nothing", "now + now", "now - 7d");
    refused("-title == null", "has no minus", "title", "numbers");
    refused("length(depth) > 1", "cannot be asked", "depth", "length(text)");
    refused("length() > 1", "takes one value", "length()", "length(title)");
    refused("topic(title) > 1", "in quotes", "topic(title)", "topic(");
    refused("title and true", "not a condition", "title", "title != null");
    refused("not depth", "not a condition", "depth", "depth > 0");
    refused("7d", "not a condition", "7d", "compare it");
}

#[test]
fn bad_syntax_is_refused_where_it_is() {
    refused("lang = 'en'", "means nothing", "=", "`==`");
    refused("lang == 'en' && true", "means nothing", "&&", "`and`");
    refused("lang === 'en'", "means nothing", "===", "`==`");
    refused("!true", "means nothing", "!", "`not`");
    refused("true; false", "`;` means nothing", ";", "quotes");
    refused("lang == 'en", "has no end", "'en", "'");
    refused("1 < depth < 3", "do not follow", "<", "a < b and b < c");
    refused("(true", "the rule ends", "", "`)`");
    refused("true)", "`)`", ")", "the end of the rule");
    refused("true and", "the rule ends", "", "a value");
    refused("and true", "`and`", "and", "a value");
    refused("lang in ['en' 'de']", "cannot stand", "'de'", "`,` or `]`");
    refused("", "the rule ends", "", "a value");
    refused("bytes > 5parsecs", "no size", "5parsecs", "500KB");
    refused("title contains\n  'x' und true", "`und`", "und", "`and`, `or`");
}

#[test]
fn a_rule_says_what_it_needs() {
    let rule = r#"title != null and topic("food safety") > 0 and length(title) > fields.price"#;
    let rule = Rule::new(rule, &known()).unwrap();
    assert_eq!(rule.names(), ["fields.price", "title"]);
}

#[test]
fn nesting_and_length_are_bounded() {
    for (open, close) in [("(", ")"), ("not ", ""), ("-", ""), ("[", "]"), ("lower(", ")")] {
        let deep = open.repeat(1_000) + "true" + &close.repeat(1_000);
        let why = Rule::new(&deep, &known()).unwrap_err().to_string();
        assert!(why.contains("nested more than"), "{why}");
    }
    let sums = "1".to_owned() + &" + 1".repeat(1_000) + " > 2";
    assert!(Rule::new(&sums, &known()).unwrap_err().to_string().contains("nested"));
    let wide = "true".to_owned() + &" and true".repeat(1_500);
    assert!(holds(&wide));
    assert!(Rule::new(&" ".repeat(MAX_LENGTH + 1), &known()).is_err());
}

/// Pieces of rules, so that what is made of them goes deeper than the first sign.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "title",
        "published",
        "now",
        "7d",
        "2",
        "\"x\"",
        "'2026-11-01'",
        "null",
        "true",
        "and",
        "or",
        "not",
        "in",
        "contains",
        "matches",
        "==",
        "!=",
        "<",
        ">=",
        "+",
        "-",
        "(",
        ")",
        "[",
        "]",
        ",",
        "length(",
        "topic(\"food safety\")",
        "fields.price",
        "fields.note",
        "videos",
        "ä",
        "\"",
        "\\",
        "500KB",
        "9999999999d",
        "1e308",
        ".",
        "days_since(",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_makes_reading_or_asking_panic_or_take_long(text in prop_oneof![pieces(), ".*"]) {
        let start = std::time::Instant::now();
        match Rule::new(&text, &known()) {
            Ok(rule) => _ = rule.holds(&Article, at("2026-11-12T08:00:00Z")),
            Err(why) => prop_assert!(why.to_string().lines().count() >= 3),
        }
        prop_assert!(start.elapsed().as_secs() < 2);
    }
}

#[test]
fn what_failed_is_named_with_its_values() {
    let failed = |text: &str| {
        let rule = Rule::new(text, &known()).unwrap();
        rule.failed(&Article, at("2026-11-12T08:00:00Z"))
    };
    assert_eq!(failed("depth == 2 and lang == \"en\""), None);
    let why =
        failed("depth == 2 and (lang == \"en\" and published >= now - 1d) and false").unwrap();
    assert_eq!(why.part, "published >= now - 1d");
    assert_eq!(why.values, [("published".to_owned(), "2026-11-10T08:00:00Z".to_owned())]);
    let why = failed("topic(\"food safety\") > 0.9 or lang == \"de\" or lang == \"fr\"").unwrap();
    assert!(why.part.starts_with("topic(") && why.part.ends_with("\"fr\""), "{why:?}");
    let shown: Vec<String> = why.values.iter().map(|(name, is)| format!("{name} {is}")).collect();
    assert_eq!(shown, ["topic(\"food safety\") 0.700", "lang \"en\""]);
    assert_eq!(failed("author != null").unwrap().values[0].1, "null");
}
