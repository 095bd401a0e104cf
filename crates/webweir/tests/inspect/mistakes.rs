//! Wrong use is refused with the value and the remedy, and exit code 2.

use crate::support::inspect;

#[test]
fn a_wrong_command_line_is_refused() {
    for (words, expected) in [
        (&[][..], &["usage"][..]),
        (&["planet"], &["planet", "--help"]),
        (&["url"], &["<url>"]),
        (&["url", "x", "--jsonl"], &["--jsonl", "cannot be used"]),
        (&["url", "--base", "x", "y"], &["--base", "'x'", "https://example.com"]),
        (&["robots"], &["<file>"]),
        (&["robots", "nowhere.txt", "/"], &["nowhere.txt", "standard input"]),
        (&["robots", "--status", "teapot", "-"], &["--status", "teapot"]),
        (&["robots", "--status", "7", "-"], &["--status", "7", "100"]),
        (&["robots", "--agent"], &["--agent"]),
        (&["robots", "r.txt", "--jsonl"], &["--jsonl", "cannot be used"]),
        (&["sitemap"], &["<file>"]),
        (&["sitemap", "."], &["cannot read .", "directory"]),
        (&["sitemap", "nowhere.xml"], &["nowhere.xml"]),
        (&["sitemap", "-", "--url", "a b"], &["--url", "a b"]),
        (&["page", "nowhere.html"], &["--url"]),
        (&["page", "--url", "http://a.test/"], &["<file>"]),
        (&["page", "nowhere.html", "--url", "http://a.test/"], &["nowhere.html"]),
        (&["page", "-", "--ulr", "http://a.test/"], &["--ulr", "--help"]),
    ] {
        println!("weir inspect {}", words.join(" "));
        inspect(words).refuses(expected);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    let mut weir = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["inspect", "url", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(weir.stdout.take());
    let mut questions = weir.stdin.take().unwrap();
    // It may end before all of them are asked.
    for _ in 0..100_000 {
        if questions.write_all(b"{\"url\":\"http://a.test/\"}\n").is_err() {
            break;
        }
    }
    drop(questions);
    assert!(weir.wait().unwrap().success());
    let mut said = String::new();
    weir.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}
