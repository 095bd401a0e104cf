//! The server process on loopback.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

const BOUND: Duration = Duration::from_secs(20);

#[test]
fn what_the_servers_count_is_what_was_sent_and_its_packets() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_weir-capcheck"))
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let site = r#"{"address":"127.77.9.9","speed":null,"delay_ms":[1,2],"sizes":{"Between":[50000,50000]}}"#;
    writeln!(input, r#"{{"sites":[{site}],"port":0,"tls":false,"sample_ms":10}}"#).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let ready = lines.next().unwrap();
    let port = ready.strip_prefix("ready ").unwrap();

    let mut stream = TcpStream::connect(format!("127.77.9.9:{port}")).unwrap();
    stream.set_read_timeout(Some(BOUND)).unwrap();
    for page in [0, 7] {
        write!(stream, "GET /{page} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let head = head(&mut stream);
        assert!(
            head.starts_with("HTTP/1.1 200 OK") && head.contains("Content-Length: 50000"),
            "{head}"
        );
        let mut body = vec![0; 50_000];
        stream.read_exact(&mut body).unwrap();
        let link = format!("<a href=/{}>", 2 * page + 1);
        assert!(String::from_utf8(body).unwrap().contains(&link));
    }
    drop(stream);

    // Samples come all the time; a few are enough to see the last bytes.
    let last = lines.by_ref().take(20).last().unwrap();
    let counted: u64 = last.split(' ').nth(1).unwrap().parse().unwrap();
    assert!((100_000..110_000).contains(&counted), "{counted}");
    drop(input);
    assert!(child.wait().unwrap().success());
}

fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    String::from_utf8(head).unwrap()
}
