//! Whoever reads along between scheduler and downloaders learns nothing.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use weir_testsite::{HostSpec, Script};

use crate::cluster::Cluster;
use crate::lab::{site, with_machines};
use crate::packets::{NOTE, Packets};
use crate::support::command::Weir;
use crate::support::inside::run;

/// Of the web, and found nowhere else.
const NAME: &str = "quiet-harbour.example";
const PATH: &str = "/among-the-herons";
const LINK: &str = "/behind-the-willows";

fn hosts() -> Vec<HostSpec> {
    let page = |link: &str| Script::html(format!("<a href=\"{link}\">on</a>"));
    vec![HostSpec::scripted(move |asked| {
        Some(match asked.path {
            PATH => page(LINK),
            LINK => page("/"),
            _ => Script::answer(404, "", ""),
        })
    })]
}

fn seed() -> String {
    format!("http://{NAME}:{}{PATH}", site(0).port())
}

fn resolve() -> String {
    format!("{NAME}:{}:{}", site(0).port(), site(0).ip())
}

#[test]
fn no_url_name_or_token_is_seen_on_the_wire() {
    with_machines("capture::no_url_name_or_token_is_seen_on_the_wire", |lab| {
        let mut cluster = Cluster::new(lab, hosts(), 2);
        cluster = cluster.flags(&["--resolve", &resolve()]).seeds(&[&seed()]);
        let token = std::fs::read_to_string(cluster.folder("keys").join("token")).unwrap();
        cluster.lab.wire(1).read_along();
        cluster.run([1]);
        cluster.finish();
        assert_eq!(cluster.web.visits(0).iter().filter(|it| it.path == LINK).count(), 1);
        let said = payloads(&cluster.lab.wire(1).read());
        let bytes: usize = said.iter().map(Vec::len).sum();
        assert!(bytes > 2_000, "only {bytes} bytes were seen");
        let token = token.trim();
        for secret in [NAME, PATH, LINK, token, &site(0).ip().to_string()] {
            assert!(!is_said(&said, secret.as_bytes()), "{secret} is on the wire");
        }
        let raw: Vec<u8> = (0..token.len() / 2)
            .map(|at| u8::from_str_radix(&token[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        assert!(!is_said(&said, &raw), "the token is on the wire");
    });
}

/// Without keys, which is for one machine only, all can be read: what the check above looks for is there.
#[test]
fn without_keys_they_are_seen_on_loopback() {
    with_machines("capture::without_keys_they_are_seen_on_loopback", |_| {
        let hosts = hosts().into_iter().map(|host| host.at(site(0))).collect();
        let _web = weir_testsite::Web::start(weir_testsite::Spec::new(hosts)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        run("ip", &["link", "set", "lo", "gso_max_segs", "1"]);
        let mut lo = Packets::of("lo").unwrap();
        let mut scheduler = Command::new(env!("CARGO_BIN_EXE_weir"));
        scheduler.args(["scheduler", "--allow-private", "--progress", "none"]);
        scheduler.args(["--resolve", &resolve(), &seed(), "--out"]);
        let scheduler = Weir::of({
            scheduler.arg(folder.path().join("scheduler"));
            scheduler
        });
        let mut downloader = Command::new(env!("CARGO_BIN_EXE_weir"));
        downloader.args(["downloader", "--scheduler", "http://127.0.0.1:7700", "--out"]);
        let mut downloader = Weir::of({
            downloader.arg(folder.path().join("d1"));
            downloader
        });
        let mut seen = Vec::new();
        crate::support::wait_until_within(Duration::from_secs(60), "the end", || {
            seen.extend(std::iter::from_fn(|| lo.next()).map(|packet| packet[NOTE..].to_vec()));
            downloader.ended().is_some()
        });
        scheduler.wait().expect_code(0);
        let said: Vec<Vec<u8>> = payloads(&seen);
        for secret in [NAME, PATH, LINK] {
            assert!(is_said(&said, secret.as_bytes()), "{secret} is not on the wire");
        }
    });
}

/// What each side of each connection with the scheduler said, as it was said.
fn payloads(packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut streams: BTreeMap<Vec<u8>, BTreeMap<u32, Vec<u8>>> = BTreeMap::new();
    for packet in packets.iter().filter(|packet| packet.len() > 54 && packet[12..14] == [8, 0]) {
        let head = 14 + usize::from(packet[14] & 15) * 4;
        let length = usize::from(u16::from_be_bytes([packet[16], packet[17]])) + 14;
        let ports = [0, 2].map(|at| u16::from_be_bytes([packet[head + at], packet[head + at + 1]]));
        if packet[23] != 6 || !ports.contains(&7700) || length > packet.len() {
            continue;
        }
        let body = head + usize::from(packet[head + 12] >> 4) * 4;
        let at = u32::from_be_bytes(packet[head + 4..head + 8].try_into().unwrap());
        let name = [&packet[26..34], &packet[head..head + 4]].concat();
        // The same once more is the same.
        let part = streams.entry(name).or_default().entry(at).or_default();
        if length - body > part.len() {
            *part = packet[body..length].to_vec();
        }
    }
    streams.into_values().map(|parts| parts.into_values().flatten().collect()).collect()
}

fn is_said(said: &[Vec<u8>], secret: &[u8]) -> bool {
    said.iter().any(|stream| stream.windows(secret.len()).any(|part| part == secret))
}
