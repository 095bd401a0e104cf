use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{cache_folder, skip, wait_until};

/// A server of our own that speaks S3, with one bucket. What it has it keeps in memory.
pub struct Bucket {
    program: PathBuf,
    port: u16,
    child: Option<Child>,
}

pub const BUCKET: &str = "weir-test";
/// The server wants to see a signature, but does not look at it closely.
const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request, \
                      SignedHeaders=host, Signature=0";
/// The server's library, and what it needs to be a server.
const PACKAGES: [&str; 3] = ["moto[s3]>=5", "flask>=3", "flask-cors>=4"];

impl Bucket {
    /// One that does not run yet. Says so if there can be none.
    pub fn find(suite: &str) -> Option<Bucket> {
        let Some(program) = installed() else {
            skip(suite, "no moto_server; it needs python3 with venv and a package index for pip");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Some(Bucket { program, port, child: None })
    }

    pub fn up(&mut self) {
        let mut server = Command::new(&self.program);
        server.args(["-H", "127.0.0.1", "-p", &self.port.to_string()]);
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(server.spawn().unwrap());
        wait_until("the S3 server", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
        self.ask("PUT", "");
    }

    /// What weir must know to find it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let address = format!("http://127.0.0.1:{}", self.port);
        vec![
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ENDPOINT", address),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
        ]
    }

    pub fn get(&self, name: &str) -> Vec<u8> {
        self.ask("GET", name)
    }

    /// The body of the answer, which must be a good one.
    fn ask(&self, method: &str, name: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // Version 1.0, so that the answer comes in one piece and ends with the connection.
        let line = format!("{method} /{BUCKET}/{name} HTTP/1.0");
        write!(stream, "{line}\r\nHost: 127.0.0.1\r\nAuthorization: {SIGNED}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let head = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let first = String::from_utf8_lossy(&answer[..head]).into_owned();
        assert!(first.lines().next().unwrap().contains(" 200"), "{method} {name}: {first}");
        answer.split_off(head + 4)
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// In an environment of its own, made once.
fn installed() -> Option<PathBuf> {
    let folder = cache_folder()?.join("s3-venv");
    let (program, whole) = (folder.join("bin/moto_server"), folder.join("whole"));
    if !whole.is_file() {
        let run = |program: &Path, words: &[&str]| {
            let mut command = Command::new(program);
            command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
            command.status().is_ok_and(|it| it.success())
        };
        let pip = folder.join("bin/pip");
        let install = [&["install", "--quiet"], &PACKAGES[..]].concat();
        let venv = ["-m", "venv", folder.to_str()?];
        if !run(Path::new("python3"), &venv) || !run(&pip, &install) {
            return None;
        }
        fs::write(&whole, "").ok()?;
    }
    program.is_file().then_some(program)
}
