//! Odd responses with curl's verdict, where the shared test data is at hand.
#![allow(clippy::unwrap_used)]

mod server;
mod suite;

use std::rc::Rc;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use server::{fetcher, read_request, run, serve};
use suite::{Known, material, settle};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use weir_fetch::coding::decode;

/// Where we differ from curl, and why.
const KNOWN: Known<'static> = &[
    (
        &["curl-test772"],
        "two locations on a 200 mean nothing (on a redirect the target is refused)",
    ),
    (&["curl-test1473"], "hyper has no way to accept white space before the first header"),
];

#[test]
fn odd_responses_end_as_curl_says_or_differ_for_a_reason() {
    let suite = "http raw-responses";
    let Some(path) = material(suite, "http/raw-responses.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let raw = BASE64_STANDARD.decode(case["raw_b64"].as_str().unwrap()).unwrap();
        let (ours, why) = verdict(raw);
        if ours != case["expect"].as_str().unwrap() {
            let id = case["id"].as_str().unwrap().to_owned();
            wrong.push((id, format!("{}: {ours}, {why}", case["about"])));
        }
    }
    settle(suite, text.lines().count(), &wrong, KNOWN);
}

/// `ok` is a whole response whose codings could be undone.
fn verdict(raw: Vec<u8>) -> (&'static str, String) {
    let result = Rc::new(std::cell::RefCell::new(None));
    let slot = result.clone();
    run(async move {
        let raw: Rc<[u8]> = raw.into();
        let server = serve(move |_, mut socket| {
            let raw = raw.clone();
            async move {
                read_request(&mut socket).await;
                drop(socket.write_all(&raw).await);
                drop(socket.shutdown().await);
                while socket.read_u8().await.is_ok() {}
            }
        })
        .await;
        *slot.borrow_mut() = Some(fetcher().fetch(&server.url("/")).await);
    });
    match result.take().unwrap() {
        Err(failure) => ("error", failure.to_string()),
        Ok(page) if page.cut.is_some() => ("error", format!("cut: {:?}", page.cut)),
        Ok(page) => match decode(&page.body, page.header("content-encoding"), 1 << 20).problem {
            Some(problem) => ("error", problem),
            None => ("ok", format!("status {}", page.status)),
        },
    }
}
