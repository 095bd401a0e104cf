//! Spoiled requests: each has its answer, and the next one is read as if nothing had been.

use weir_fuzz::Fuzz;

use crate::support::{inspect, json_lines};

#[test]
fn any_request_has_an_answer() {
    for (what, seeds) in [
        ("url", [r#"{"url":"../a?b#c","base":"http://a.test/x"}"#, r#"{"url":"\ud800 \u00e9"}"#]),
        (
            "robots",
            [
                r#"{"robots":"user-agent: *\ndisallow: /a","agent":"x","url":"/a","status":503}"#,
                r#"{"robots_b64":"dXNlci1hZ2VudDogKg==","url":"http://a.test/"}"#,
            ],
        ),
        (
            "sitemap",
            [
                r#"{"body":"<urlset><url><loc>http://a.test/</loc></url></urlset>","url":"http://a.test/s"}"#,
                r#"{"body_b64":"aHR0cDovL2EudGVzdC8=","url":"http://a.test/","content_type":"text/plain"}"#,
            ],
        ),
        (
            "page",
            [
                r#"{"html":"<title>x</title><a href='y'>","url":"http://a.test/"}"#,
                r#"{"html_b64":"PGEgaHJlZj14Pg==","url":"http://a.test/","content_type":"text/html"}"#,
            ],
        ),
    ] {
        let mut lines = Vec::new();
        let seeds = seeds.map(|seed| seed.as_bytes().to_vec());
        Fuzz::new("inspect", 2000).words(&["null", "\\ud800", "{", "\""]).run(&seeds, |line, _| {
            lines.extend(line.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
        });
        lines.retain(|line| !line.trim_ascii().is_empty());
        let answers = json_lines(&inspect(&[what, "--jsonl"]).says(lines.join(&b'\n')));
        assert_eq!(answers.len(), lines.len(), "{what}");
        assert!(answers.iter().all(serde_json::Value::is_object), "{what}");
    }
}
