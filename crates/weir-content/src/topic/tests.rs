use super::*;

fn topic(terms: &[&str]) -> Topic {
    let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
    Topic::new("food-safety", &terms, &[], &[]).unwrap()
}

fn food() -> Topic {
    topic(&["food safety", "recall^2", "salmonella", "contamina*"])
}

/// A text of this many words, the given ones first.
fn padded(text: &str, words: usize) -> String {
    let rest = words.saturating_sub(text.split_whitespace().count());
    text.to_owned() + &" other".repeat(rest)
}

fn score(topic: &Topic, text: &str) -> f32 {
    topic.score(&Words::of("", text))
}

#[test]
fn a_text_about_something_else_scores_nothing() {
    for text in ["", "the cup final was won by nobody", "food and safety", "safety food", "recalls"]
    {
        assert_eq!(score(&food(), text), 0.0, "{text}");
    }
}

#[test]
fn words_phrases_and_beginnings_are_found_in_any_case() {
    for text in
        ["Food Safety first", "food-safety", "SALMONELLA!", "a contaminated egg", "contamina"]
    {
        assert!(score(&food(), &padded(text, 300)) > 0.1, "{text}");
    }
}

#[test]
fn a_mention_in_passing_is_less_than_a_text_about_it() {
    let passing = score(&food(), &padded("salmonella", 500));
    let two = score(&food(), &padded("salmonella contamination of food safety", 500));
    let full =
        score(&food(), &padded(&"salmonella recall food safety contaminated ".repeat(5), 500));
    assert!(passing < 0.2 && two > 0.4 && full > 0.8, "{passing} {two} {full}");
}

#[test]
fn more_mentions_score_more_and_each_adds_less() {
    let at = |times: usize| score(&food(), &padded(&"salmonella ".repeat(times), 500));
    let scores: Vec<f32> = [1, 2, 4, 8, 16].map(at).to_vec();
    assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
    assert!(scores[4] - scores[3] < scores[1] - scores[0], "{scores:?}");
}

#[test]
fn a_longer_text_needs_more_mentions() {
    let short = score(&food(), &padded("salmonella recall", 200));
    let long = score(&food(), &padded("salmonella recall", 5_000));
    assert!(short > 2.0 * long, "{short} {long}");
}

#[test]
fn weights_count_in_proportion_and_the_title_counts_more() {
    let heavy = score(&food(), &padded("recall", 500));
    let light = score(&food(), &padded("salmonella", 500));
    assert!(heavy > light);
    let scaled = topic(&["food safety^5", "recall^10", "salmonella^5", "contamina*^5"]);
    assert!((score(&scaled, &padded("recall", 500)) - heavy).abs() < 1e-5);
    let text = padded("", 500);
    assert!(food().score(&Words::of("Salmonella", &text)) > light);
    let split = Words::of("Food", &padded("safety", 100));
    assert_eq!(food().score(&split), 0.0, "a phrase reached from the title into the text");
}

#[test]
fn scores_are_within_0_and_1_for_any_text() {
    let heavy = topic(&["a^1000", "b^0.001"]);
    for text in
        ["a ".repeat(100_000), "b".to_owned(), "\u{ad}\u{301}a食".to_owned(), "é".repeat(99)]
    {
        let score = score(&heavy, &text);
        assert!((0.0..=1.0).contains(&score), "{score}");
    }
}

#[test]
fn scripts_without_spaces_are_found_as_phrases() {
    let food = topic(&["食品安全", "อาหาร"]);
    assert!(score(&food, "关于食品安全的新闻") > 0.3);
    assert!(score(&food, "ความปลอดภัยของอาหารไทย") > 0.2);
    assert_eq!(score(&food, "安全食品"), 0.0);
}

#[test]
fn terms_are_taken_from_examples() {
    let examples = [
        "The agency recalled eggs because of salmonella; the salmonella outbreak made many people ill.",
        "An outbreak of salmonella was traced to eggs, and the farm recalled them with the agency.",
    ]
    .map(str::to_owned);
    let topic = Topic::new("eggs", &[], &examples, &[]).unwrap();
    let same = score(&topic, "Eggs are recalled by the agency after a new outbreak of salmonella");
    let other = score(&topic, "The agency of the cup said that many people would have been there");
    assert!(same > 0.6 && other < 0.3 * same, "{same} {other}");
    for example in &examples {
        assert!(score(&topic, example) > 0.7);
    }
}

#[test]
fn words_of_the_background_count_less() {
    let examples = ["agency salmonella", "agency salmonella"].map(str::to_owned);
    let background = ["agency one", "agency two", "agency three"].map(str::to_owned);
    let topic = Topic::new("eggs", &[], &examples, &background).unwrap();
    assert!(score(&topic, "salmonella") > 2.0 * score(&topic, "agency"));
}

#[test]
fn an_unusable_topic_is_refused_with_a_remedy() {
    let refused = |terms: &[&str], examples: &[&str], expected: &str| {
        let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let why = Topic::new("x", &owned(terms), &owned(examples), &[]).unwrap_err().to_string();
        assert!(why.contains("topic `x`") && why.contains(expected), "{why}");
    };
    refused(&[], &[], "terms = [");
    refused(&["egg", " … "], &[], "no word");
    refused(&["egg^0"], &[], "above 0");
    refused(&["egg^much"], &[], "recall^2");
    refused(&["egg^inf"], &[], "up to 1000");
    refused(&["con*tamina"], &[], "at the end");
    refused(&["food *"], &[], "right behind");
    refused(&["e*"], &[], "more letters");
    refused(&[], &["the and of 12"], "longer ones");
}

#[test]
fn a_link_is_judged_by_anchor_url_and_parent() {
    let food = food();
    let plain = |parent| food.link_score("more", "https://x.example/about", parent);
    assert_eq!(plain(0.0), 0.0);
    assert_eq!(plain(0.8), 0.4);
    assert_eq!(plain(f32::NAN), 0.0);
    let by_url = food.link_score("more", "https://x.example/2026/egg-recall.html", 0.0);
    let by_anchor = food.link_score("Egg recall", "https://x.example/17", 0.0);
    let both = food.link_score("Egg recall", "https://x.example/egg-recall", 0.0);
    let all = food.link_score("Egg recall", "https://x.example/egg-recall", 0.8);
    assert!(0.0 < by_url && by_url < by_anchor && by_anchor < both && both < all && all <= 1.0);
    let umlaut = topic(&["käse"]);
    assert!(umlaut.link_score("", "https://x.example/K%C3%A4se", 0.0) > 0.2);
}

#[test]
fn terms_are_a_list_or_a_table_of_weights() {
    let read = |text: &str| toml::from_str::<TopicSettings>(text).unwrap().terms.written();
    assert_eq!(read("terms = ['food safety', 'recall^2']"), ["food safety", "recall^2"]);
    assert_eq!(read("terms = { recall = 2, 'egg*' = 0.5 }"), ["egg*^0.5", "recall^2"]);
    assert!(read("examples = ['a.txt']").is_empty());
    let weighed = Topic::new("x", &read("terms = { recall = -1 }"), &[], &[]);
    assert!(weighed.unwrap_err().to_string().contains("above 0"));
}
