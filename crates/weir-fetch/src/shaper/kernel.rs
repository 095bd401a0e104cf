//! What the kernel knows of a connection, and the little that it lets us set: how much it takes in
//! before we read, when it says so, and how it lets go.

use std::os::fd::RawFd;

/// What has arrived on a connection, read or not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arrived {
    /// Payload, TLS included.
    pub bytes: u64,
    pub segments: u64,
    /// What the other side may still send without our reading anything.
    pub window: u64,
    pub round_trip_us: u64,
    /// Payload of a full packet to the other side, and so of one from it.
    pub packet: u64,
}

/// Asks the kernel; `None` where it does not tell.
pub fn arrived(socket: RawFd) -> Option<Arrived> {
    let (info, length) = tcp_info(socket)?;
    let info = info.get(..length)?;
    let word = |at: usize| {
        let bytes = info.get(at..at + 4)?;
        Some(u64::from(u32::from_ne_bytes(bytes.try_into().ok()?)))
    };
    let bytes = info.get(BYTES_RECEIVED..BYTES_RECEIVED + 8)?;
    let bytes = u64::from_ne_bytes(bytes.try_into().ok()?);
    Some(Arrived {
        bytes,
        segments: word(SEGS_IN)?,
        // Kernels before 6.2 do not tell the window: twice a threshold that bounds it is safe.
        window: word(RCV_WND).or_else(|| Some(2 * word(RCV_SSTHRESH)?))?,
        round_trip_us: word(RTT)?,
        packet: word(SND_MSS)?,
    })
}

// Places in `struct tcp_info` (linux/tcp.h), which only ever grows at its end.
const SND_MSS: usize = 16;
const RCV_SSTHRESH: usize = 64;
const RTT: usize = 68;
const BYTES_RECEIVED: usize = 128;
const SEGS_IN: usize = 140;
const RCV_WND: usize = 232;

type Info = [u8; 256];

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn tcp_info(socket: RawFd) -> Option<(Info, usize)> {
    let mut info: Info = [0; 256];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: `info` and `length` are live, exclusive and of the sizes given, and the kernel
    // writes at most `length` bytes. Whatever the descriptor is, this only reads from it.
    let failed = unsafe {
        libc::getsockopt(
            socket,
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    (failed == 0).then_some((info, length as usize))
}

/// Bounds what arrives unread. The kernel keeps books for twice the figure, of which the payload
/// takes about half to two thirds. A system that refuses works all the same: its buffer is larger,
/// and the account notices.
pub fn set_receive_buffer(socket: RawFd, bytes: usize) {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUF, bytes as libc::c_int);
}

/// Whether the socket, when it is closed, is let go without the other side having to agree: nothing comes back then. Also
/// when it is closed for us, because we were killed.
pub fn set_abrupt(socket: RawFd, is_abrupt: bool) {
    let linger = libc::linger { l_onoff: is_abrupt.into(), l_linger: 0 };
    set_option(socket, libc::SOL_SOCKET, libc::SO_LINGER, linger);
}

/// Tells the other side at once what has arrived, though nobody has read it yet. The kernel would
/// wait for 40 ms, and a server nearby sends the last packet again meanwhile.
#[cfg(target_os = "linux")]
pub fn acknowledge(socket: RawFd) {
    set_option(socket, libc::IPPROTO_TCP, libc::TCP_QUICKACK, 1 as libc::c_int);
}

#[cfg(not(target_os = "linux"))]
pub fn acknowledge(_: RawFd) {}

/// Values that the kernel reads as they are.
trait Plain: Copy {}
impl Plain for libc::c_int {}
impl Plain for libc::linger {}

/// What is refused is left as it was.
#[allow(unsafe_code)]
fn set_option(socket: RawFd, level: libc::c_int, name: libc::c_int, value: impl Plain) {
    // SAFETY: the kernel reads the value that the pointer and the length describe, which lives
    // longer than the call. The caller's descriptor is an open socket of this process.
    unsafe {
        libc::setsockopt(
            socket,
            level,
            name,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    };
}

#[cfg(not(target_os = "linux"))]
fn tcp_info(_: RawFd) -> Option<(Info, usize)> {
    None
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn bytes_count_as_soon_as_they_have_arrived_read_or_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut here, _) = listener.accept().unwrap();
        there.write_all(&[7; 5000]).unwrap();
        here.read_exact(&mut [0; 100]).unwrap();
        let before = arrived(here.as_raw_fd()).unwrap();
        assert_eq!(before.bytes, 5000);
        assert!(before.segments >= 2 && before.window > 0, "{before:?}");
    }

    #[test]
    fn a_small_buffer_bounds_what_arrives_unread() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        set_receive_buffer(listener.as_raw_fd(), 4096);
        let mut there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (here, _) = listener.accept().unwrap();
        there.set_nonblocking(true).unwrap();
        let mut sent = 0;
        for _ in 0..1000 {
            sent += there.write(&[7; 10_000]).unwrap_or(0);
        }
        let arrived = arrived(here.as_raw_fd()).unwrap();
        assert!(sent > 20_000 && arrived.bytes <= 8192, "{sent} sent, {arrived:?}");
    }
}
