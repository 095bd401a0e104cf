//! What really went out, by the kernel's own account of each connection. What a socket has accepted
//! says little: megabytes of it may still wait for the receiver.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::rc::Rc;

use tokio::net::TcpStream;

/// Ethernet, IP and TCP with time stamps.
const HEADERS: u64 = 14 + 20 + 32;

/// The bytes of one site on the wire, packet headers included.
#[derive(Clone, Default)]
pub struct Counter {
    closed: Rc<Cell<u64>>,
    open: Rc<RefCell<Vec<Rc<OwnedFd>>>>,
}

impl Counter {
    /// Counts a connection for as long as the result lives.
    pub fn watch(&self, stream: &TcpStream) -> io::Result<Watch> {
        let socket = Rc::new(stream.as_fd().try_clone_to_owned()?);
        self.open.borrow_mut().push(socket.clone());
        Ok(Watch { counter: self.clone(), socket })
    }

    pub fn bytes(&self) -> u64 {
        self.closed.get() + self.open.borrow().iter().map(|socket| sent(socket)).sum::<u64>()
    }
}

pub struct Watch {
    counter: Counter,
    socket: Rc<OwnedFd>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.counter.closed.update(|bytes| bytes + sent(&self.socket));
        self.counter.open.borrow_mut().retain(|socket| !Rc::ptr_eq(socket, &self.socket));
    }
}

/// Where `struct tcp_info` of linux/tcp.h has the number of segments and the bytes in them.
const SEGS_OUT: usize = 136;
const BYTES_SENT: usize = 200;

fn sent(socket: &OwnedFd) -> u64 {
    let mut info = [0_u8; 256];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, which is the length of `info`.
    let failed = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if failed != 0 {
        return 0;
    }
    let segments = u32::from_ne_bytes(part(&info, SEGS_OUT));
    u64::from_ne_bytes(part(&info, BYTES_SENT)) + u64::from(segments) * HEADERS
}

fn part<const N: usize>(info: &[u8; 256], at: usize) -> [u8; N] {
    info[at..at + N].try_into().expect("the range has this length")
}
