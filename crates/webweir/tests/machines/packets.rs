use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};

/// All packets of an interface of this machine: those that come in are read, those that are written go
/// out, each with the note by which the system knows what is left to do to it (a checksum, for one).
pub struct Packets {
    socket: File,
}

/// `struct virtio_net_hdr`.
pub const NOTE: usize = 10;
const LONGEST: usize = NOTE + 70_000;

impl Packets {
    pub fn of(interface: &str) -> io::Result<Packets> {
        let every = (libc::ETH_P_ALL as u16).to_be();
        // SAFETY: no memory is handed over; the descriptor is new and ours.
        let socket = unsafe {
            let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
            let made = libc::socket(libc::AF_PACKET, kind, i32::from(every));
            if made < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(made)
        };
        set(&socket, libc::PACKET_VNET_HDR)?;
        set(&socket, libc::PACKET_IGNORE_OUTGOING)?;
        bind(&socket, interface, every)?;
        Ok(Packets { socket })
    }

    /// The next one that has come in, if any.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        let mut packet = vec![0; LONGEST];
        let length = self.socket.read(&mut packet).ok()?;
        packet.truncate(length);
        Some(packet)
    }

    /// One that finds no room is lost, as on any line.
    pub fn send(&mut self, packet: &[u8]) {
        let _ = self.socket.write(packet);
    }

    fn poll(&self) -> libc::pollfd {
        libc::pollfd { fd: self.socket.as_raw_fd(), events: libc::POLLIN, revents: 0 }
    }
}

/// Waits for a packet of either, at most so many milliseconds.
pub fn wait(one: &Packets, other: &Packets, most_ms: i32) {
    let mut both = [one.poll(), other.poll()];
    // SAFETY: the array outlives the call, and its length is told.
    unsafe { libc::poll(both.as_mut_ptr(), both.len() as libc::nfds_t, most_ms) };
}

fn set(socket: &File, option: i32) -> io::Result<()> {
    let (yes, length) = (1_i32, size_of::<i32>() as libc::socklen_t);
    // SAFETY: the value outlives the call, and its length is told.
    let done = unsafe {
        let value = (&raw const yes).cast();
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_PACKET, option, value, length)
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn bind(socket: &File, interface: &str, protocol: u16) -> io::Result<()> {
    let name = std::ffi::CString::new(interface).unwrap();
    // SAFETY: a name that ends with a zero, and an address of which all bytes may be zero.
    let done = unsafe {
        let mut address: libc::sockaddr_ll = std::mem::zeroed();
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = libc::if_nametoindex(name.as_ptr()) as i32;
        let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length)
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
