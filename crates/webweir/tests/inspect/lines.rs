//! Many questions at once: `--jsonl`.

use serde_json::{Value, json};

use crate::support::{inspect, json_lines};

#[test]
fn urls_have_a_resolved_and_a_canonical_form() {
    let answers = inspect(&["url", "--jsonl"]).lines(&[
        json!({"url": "../b?#f", "base": "http://A.test/x/y"}),
        json!({"url": "http://[", "base": null}),
        json!({"url": "b"}),
        json!({"url": "a/b", "base": "no base"}),
        json!({"url": "ftp://a.test/x#y"}),
    ]);
    assert_eq!(
        answers[0],
        json!({"resolved": "http://a.test/b?#f", "canonical": "http://a.test/b"})
    );
    for answer in &answers[1..4] {
        assert!(
            answer["invalid"].is_string() && answer.as_object().unwrap().len() == 1,
            "{answer}"
        );
    }
    assert_eq!(answers[4]["resolved"], "ftp://a.test/x#y");
    assert!(answers[4]["invalid"].as_str().unwrap().contains("ftp"));
}

#[test]
fn half_a_surrogate_pair_is_taken_as_browsers_do() {
    let said = inspect(&["url", "--jsonl"]).says(r#"{"url":"http://a.test/\ud800x"}"#);
    assert_eq!(json_lines(&said)[0]["resolved"], "http://a.test/%EF%BF%BDx");
}

#[test]
fn robots_answers_with_delay_and_sitemaps() {
    let file = "user-agent: *\ndisallow: /a\ncrawl-delay: 3\nsitemap: http://a.test/s";
    let answers = inspect(&["robots", "--jsonl"]).lines(&[
        json!({"robots": file, "agent": "x", "url": "http://a.test/a"}),
        json!({"robots": file, "agent": "x", "url": "http://a.test/b"}),
        json!({"robots": file, "agent": "x", "url": "http://a.test/b", "status": 500}),
        // "user-agent: *\ndisallow: /\xff"
        json!({"robots_b64": "dXNlci1hZ2VudDogKgpkaXNhbGxvdzogL/8=", "agent": "x",
               "url": "http://a.test/%FF"}),
        json!({"robots": "user-agent: weir\ndisallow: /", "url": "/"}),
    ]);
    let told = |allow: bool| json!({"allow": allow, "delay": 3, "sitemaps": ["http://a.test/s"]});
    assert_eq!(answers[..2], [told(false), told(true)]);
    let nothing = json!({"allow": false, "delay": null, "sitemaps": []});
    assert_eq!(answers[2..], [nothing.clone(), nothing.clone(), nothing]);
}

#[test]
fn a_page_that_is_given_as_text_is_read_as_it_stands() {
    for says in ["", "<meta charset=iso-8859-1>", "<meta charset=big5>"] {
        let html =
            format!("{says}<title>Größe 你好</title><p>Ein Satz, der lang genug für Text ist.");
        let request = json!({"html": html, "url": "http://a.test/"});
        let answer = &inspect(&["page", "--jsonl"]).lines(&[request])[0];
        assert_eq!(answer["title"], "Größe 你好", "{says}");
        assert_eq!(answer["text"], "Ein Satz, der lang genug für Text ist.", "{says}");
    }
}

#[test]
fn flags_hold_for_requests_that_say_nothing_else() {
    let said = |words: &[&str], request: Value| inspect(words).lines(&[request])[0].clone();
    let base = ["url", "--jsonl", "--base", "http://a.test/"];
    assert_eq!(said(&base, json!({"url": "x"}))["canonical"], "http://a.test/x");
    assert_eq!(
        said(&base, json!({"url": "x", "base": "http://b.test"}))["canonical"],
        "http://b.test/x"
    );
    let status = ["robots", "--jsonl", "--status", "503"];
    assert_eq!(said(&status, json!({"robots": "", "url": "/"}))["allow"], false);
    let page =
        ["page", "--jsonl", "--url", "http://a.test/", "--content-type", "text/html;charset=big5"];
    assert_eq!(said(&page, json!({"html": "<a href=x>"}))["links"], json!(["http://a.test/x"]));
    assert_eq!(said(&page, json!({"html": "x"}))["charset"], "Big5");
    assert_eq!(
        said(&page, json!({"html": "x", "content_type": "text/html;charset=gbk"}))["charset"],
        "GBK"
    );
}

#[test]
fn a_request_that_cannot_be_answered_says_why_and_the_rest_go_on() {
    let good = r#"{"html":"<title>good</title>","url":"http://a.test/","note":[1,{}]}"#;
    for (bad, word) in [
        ("nonsense", "expected"),
        ("{}", "url"),
        ("[]", "request"),
        (r#"{"html":"x"}"#, "url"),
        (r#"{"url":"http://a.test/"}"#, "html_b64"),
        (r#"{"html_b64":"***","url":"http://a.test/"}"#, "base64"),
        (r#"{"html":"x","html_b64":"eA==","url":"http://a.test/"}"#, "both"),
        (r#"{"html":7,"url":"http://a.test/"}"#, "text"),
        (r#"{"html":"x","url":"relative"}"#, "relative"),
        (r#"{"html":"x","url":"http://a.test/""#, "eof"),
    ] {
        let said = inspect(&["page", "--jsonl"]).says(format!("{good}\n{bad}\n\n{good}"));
        let answers = json_lines(&said);
        assert_eq!(answers.len(), 3, "{bad}");
        let error = answers[1]["error"].as_str().unwrap_or_default().to_lowercase();
        assert!(error.contains(word), "{bad}: {error}");
        assert_eq!((&answers[0]["title"], &answers[2]["title"]), (&json!("good"), &json!("good")));
    }
}

#[test]
fn many_lines_are_answered_in_their_order() {
    let count = 20_000;
    let input: String =
        (0..count).map(|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n")).collect();
    let answers = json_lines(&inspect(&["url", "--jsonl"]).says(input));
    assert_eq!(answers.len(), count);
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer["canonical"], format!("http://a.test/{number}"));
    }
}

#[test]
fn an_answer_comes_before_the_next_question_is_asked() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut weir = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["inspect", "url", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = weir.stdin.take().unwrap();
    let mut answers = BufReader::new(weir.stdout.take().unwrap()).lines();
    for number in 0..10 {
        writeln!(questions, "{{\"url\":\"http://a.test/{number}\"}}").unwrap();
        assert!(answers.next().unwrap().unwrap().contains(&format!("/{number}\"")));
    }
    drop(questions);
    assert!(weir.wait().unwrap().success());
}
