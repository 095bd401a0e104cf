//! A server that knows how much of what it wrote has really left: megabytes may wait in its socket
//! otherwise, and look as if the client had taken them.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::support::wait_until;

/// `/` links to `/p/0`, `/p/1`, …, which have the sizes given.
pub struct Server {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    sizes: Vec<usize>,
    diary: Mutex<Diary>,
}

#[derive(Default)]
struct Diary {
    asked: Vec<Asked>,
    open: Vec<Arc<TcpStream>>,
    /// Of connections that are closed.
    sent: Sent,
}

#[derive(Clone)]
pub struct Asked {
    pub path: String,
    pub at: Instant,
}

/// What has left.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    pub payload: u64,
    /// With the headers of packets.
    pub wire: u64,
}

impl Server {
    pub fn start(sizes: Vec<usize>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State { sizes, diary: Mutex::default() });
        let serving = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = serving.clone();
                std::thread::spawn(move || serve(&state, stream));
            }
        });
        Server { address, state }
    }

    pub fn of(pages: usize, size: usize) -> Server {
        Server::start(vec![size; pages])
    }

    pub fn seed(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// As a `[[site]]` names it.
    pub fn name(&self) -> String {
        self.address.to_string()
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.state.diary().asked.clone()
    }

    pub fn requests(&self) -> usize {
        self.state.diary().asked.len()
    }

    /// How many of its URLs were asked for, and how many requests were for one asked for before.
    pub fn urls_and_repeats(&self) -> (usize, usize) {
        let mut paths: Vec<String> = self.asked().into_iter().map(|asked| asked.path).collect();
        let all = paths.len();
        paths.sort();
        paths.dedup();
        (paths.len(), all - paths.len())
    }

    pub fn sent(&self) -> Sent {
        let diary = self.state.diary();
        diary.open.iter().fold(diary.sent, |sum, stream| sum.and(sent(stream)))
    }

    /// What has left once every request of a client that has ended is counted: its last may have
    /// arrived, and not be read yet.
    pub fn settled(&self) -> Sent {
        // Connections are accepted in their order, so those before this one are known with it.
        let last = TcpStream::connect(self.address).unwrap();
        let ours = last.local_addr().unwrap();
        wait_until("the server to accept", || {
            self.state.diary().open.iter().any(|open| open.peer_addr().is_ok_and(|it| it == ours))
        });
        drop(last);
        wait_until("the server to be done", || self.state.diary().open.is_empty());
        self.sent()
    }

    pub fn payload(&self) -> u64 {
        self.sent().payload
    }
}

impl State {
    fn diary(&self) -> MutexGuard<'_, Diary> {
        self.diary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn body(&self, path: &str) -> Option<String> {
        if path == "/" {
            let links = (0..self.sizes.len()).map(|n| format!("<a href=\"/p/{n}\">{n}</a>\n"));
            return Some(links.collect());
        }
        let number: usize = path.strip_prefix("/p/")?.parse().ok()?;
        let mut lot = fastrand::Rng::with_seed(number as u64);
        let text = (0..*self.sizes.get(number)?).map(|_| lot.lowercase());
        Some(text.collect())
    }
}

impl Sent {
    fn and(self, other: Sent) -> Sent {
        Sent { payload: self.payload + other.payload, wire: self.wire + other.wire }
    }
}

/// A client that goes away is no error here.
fn serve(state: &State, stream: TcpStream) {
    let stream = Arc::new(stream);
    state.diary().open.push(stream.clone());
    let _ = answer(state, &stream);
    let mut diary = state.diary();
    diary.sent = diary.sent.and(sent(&stream));
    diary.open.retain(|open| !Arc::ptr_eq(open, &stream));
}

fn answer(state: &State, stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(first) = lines.next() {
        let path = first?.split(' ').nth(1).unwrap_or_default().to_owned();
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        state.diary().asked.push(Asked { path: path.clone(), at: Instant::now() });
        let (status, body) = match state.body(&path) {
            Some(body) => (200, body),
            None => (404, String::new()),
        };
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status} x\r\ncontent-type: text/html\r\ncontent-length: {length}");
        let mut stream = stream;
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes())?;
    }
    Ok(())
}

/// Ethernet, IP and TCP with time stamps.
const HEADERS: u64 = 14 + 20 + 32;
/// Places in `struct tcp_info` (linux/tcp.h).
const SEGS_OUT: usize = 136;
const BYTES_SENT: usize = 200;
const BYTES_SENT_AGAIN: usize = 208;

fn sent(stream: &TcpStream) -> Sent {
    let mut info = [0_u8; 256];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, which is the length of `info`.
    let failed = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    assert_eq!(failed, 0, "the kernel tells nothing of a connection");
    let long = |at: usize| u64::from_ne_bytes(info[at..at + 8].try_into().unwrap());
    let segments = u32::from_ne_bytes(info[SEGS_OUT..SEGS_OUT + 4].try_into().unwrap());
    let payload = long(BYTES_SENT) - long(BYTES_SENT_AGAIN);
    Sent { payload, wire: payload + u64::from(segments) * HEADERS }
}
