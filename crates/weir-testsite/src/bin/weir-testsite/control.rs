//! The control server: a thread a request, one request a connection, bodies that end with the
//! connection so that long ones can be streamed.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use weir_testsite::{HostCounts, Totals, Web};

/// A client that neither asks nor reads for this long is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// Repeated paths listed for each host; their number is in the totals.
const REPEATS: usize = 20;

const PATHS: &str = "there are /counts, /reset, /truth, /missing, /time/SECONDS and /latency/HOST/TIME (hosts count from 0)";

/// Starts the control server and returns its address.
pub(crate) fn start(web: Arc<Web>) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let web = web.clone();
            thread::spawn(move || {
                if let Err(why) = serve(&web, stream) {
                    eprintln!("control: {why}");
                }
            });
        }
    });
    Ok(address)
}

fn serve(web: &Web, stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let path = read_path(&stream)?;
    let mut out = BufWriter::new(stream);
    match path.as_str() {
        "/counts" => {
            head(&mut out, "200 OK", "application/json")?;
            writeln!(out, "{}", counts(web))?;
        }
        "/reset" => {
            web.reset();
            head(&mut out, "200 OK", "application/json")?;
            writeln!(out, "{{}}")?;
        }
        "/truth" => truth(web, &mut out)?,
        "/missing" => {
            head(&mut out, "200 OK", "text/plain")?;
            web.missing().try_for_each(|url| writeln!(out, "{url}"))?;
        }
        path if sets(web, path) => {
            head(&mut out, "200 OK", "application/json")?;
            writeln!(out, "{{}}")?;
        }
        _ => {
            head(&mut out, "404 Not Found", "text/plain")?;
            writeln!(out, "{PATHS}")?;
        }
    }
    out.flush()
}

/// Does what a path with a value asks for; false if it is none.
fn sets(web: &Web, path: &str) -> bool {
    if let Some(seconds) = path.strip_prefix("/time/").and_then(|rest| rest.parse().ok()) {
        web.set_time(Duration::from_secs(seconds));
        return true;
    }
    latency(path).is_some_and(|(host, latency)| web.set_latency(host, latency))
}

fn latency(path: &str) -> Option<(usize, Duration)> {
    let (host, time) = path.strip_prefix("/latency/")?.split_once('/')?;
    Some((host.parse().ok()?, humantime::parse_duration(time).ok()?))
}

/// Reads the head of a request and returns its path.
fn read_path(stream: &TcpStream) -> io::Result<String> {
    let mut lines = BufReader::new(stream.take(16 * 1024)).lines();
    let first = lines.next().unwrap_or(Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    Ok(first.split(' ').nth(1).unwrap_or("").to_owned())
}

fn head(out: &mut impl Write, status: &str, content_type: &str) -> io::Result<()> {
    write!(out, "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n")
}

fn truth(web: &Web, out: &mut impl Write) -> io::Result<()> {
    head(out, "200 OK", "application/x-ndjson")?;
    for it in web.truth().urls() {
        let line = json!({
            "url": it.url,
            "kind": format!("{:?}", it.kind).to_lowercase(),
            "status": it.status,
            "sha1": it.sha1,
            "bytes": it.bytes,
            "content_type": it.content_type,
            "location": it.location,
            "allowed": it.allowed,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn counts(web: &Web) -> Value {
    let counts = web.counts();
    let hosts: Vec<Value> = counts.hosts.iter().map(host).collect();
    json!({ "total": totals(&counts.total()), "hosts": hosts })
}

fn host(host: &HostCounts) -> Value {
    let repeated = host.repeated().take(REPEATS).map(|it| json!([it.path, it.times]));
    let mut value = totals(&host.totals);
    value["seed"] = json!(host.seed);
    value["repeated_paths"] = repeated.collect();
    value
}

fn totals(of: &Totals) -> Value {
    json!({
        "requests": of.requests,
        "robots": of.robots,
        "violations": of.violations,
        "false_links": of.false_links,
        "unknown": of.unknown,
        "bad": of.bad,
        "bytes": of.bytes,
        "connections": of.connections,
        "pages_complete": of.pages_complete,
        "repeated": of.repeated,
        "peak_requests": of.peak_requests,
        "peak_connections": of.peak_connections,
    })
}
