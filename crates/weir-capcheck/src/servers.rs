//! The server process, seen from the one that started it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};

use crate::lab::{Laying, Place, Wire};
use crate::series::Series;
use crate::web::Web;

/// Runs until dropped.
pub struct Servers {
    pub port: u16,
    /// The authority's certificate, if they speak TLS.
    pub authority: Option<String>,
    pub wire: Option<Wire>,
    sites: Arc<Mutex<Vec<Series>>>,
    child: Child,
    input: Option<ChildStdin>,
    reader: Option<JoinHandle<()>>,
}

impl Servers {
    pub fn start(web: &Web, place: Place, laying: &Laying) -> Result<Servers> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        if place == Place::Wire {
            command.args(["--wire", &serde_json::to_string(laying)?]);
        }
        let mut child = command.spawn().context("cannot start the servers")?;
        let mut input = child.stdin.take().context("the servers have no input")?;
        writeln!(input, "{}", serde_json::to_string(web)?)?;
        let mut output = BufReader::new(child.stdout.take().context("the servers are silent")?);
        let port = ready(&mut output)?;
        let authority = web.tls.then(|| authority(&mut output)).transpose()?;
        let sites = Arc::new(Mutex::new(vec![Series::default(); web.sites.len()]));
        let kept = sites.clone();
        let reader = Some(std::thread::spawn(move || keep(output, &kept)));
        let mut servers =
            Servers { port, authority, wire: None, sites, child, input: Some(input), reader };
        if place == Place::Wire {
            servers.wire = Some(Wire::connect(laying)?);
        }
        Ok(servers)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What each site has put on the wire so far.
    pub fn sent(&self) -> Vec<Series> {
        self.sites.lock().expect("nobody panics with the lock").clone()
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        drop(self.wire.take()); // Before the other end goes, and takes it along.
        drop(self.input.take()); // The process leaves when its input closes.
        let ended = self.child.wait();
        let reader = self.reader.take().map(JoinHandle::join);
        if ended.is_err() || reader.is_some_and(|reader| reader.is_err()) {
            eprintln!("the servers did not end well");
        }
    }
}

fn line(output: &mut BufReader<ChildStdout>) -> Result<String> {
    let mut line = String::new();
    if output.read_line(&mut line)? == 0 {
        bail!("the servers ended before they were ready");
    }
    Ok(line)
}

fn ready(output: &mut BufReader<ChildStdout>) -> Result<u16> {
    let line = line(output)?;
    let port = line.strip_prefix("ready ").and_then(|port| port.trim().parse().ok());
    port.with_context(|| format!("the servers say {line:?} instead of being ready"))
}

fn authority(output: &mut BufReader<ChildStdout>) -> Result<String> {
    let mut pem = String::new();
    while !pem.contains("-----END") {
        pem += &line(output)?;
    }
    Ok(pem)
}

fn keep(output: BufReader<ChildStdout>, sites: &Mutex<Vec<Series>>) {
    for line in output.lines().map_while(Result::ok) {
        let mut numbers = line.split(' ').map_while(|word| word.parse::<u64>().ok());
        let Some(at) = numbers.next() else { continue };
        let mut sites = sites.lock().expect("nobody panics with the lock");
        for (series, bytes) in sites.iter_mut().zip(numbers) {
            series.push(at as f64 / 1e9, bytes as f64);
        }
    }
}
