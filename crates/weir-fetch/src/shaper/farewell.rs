//! How connections end, as the server sees it.

use std::io::{ErrorKind, Read};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use super::{Flow, Part, Shaper};

/// What the server reads after `end`: the end of what was sent, or an error.
fn read_after(end: impl FnOnce(&Shaper, Flow, TcpStream)) -> Result<usize, ErrorKind> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut there, _) = listener.accept().unwrap();
    let shaper = Shaper::new(1e6);
    let flow = shaper.open(shaper.add_share(Part::default()), here.as_raw_fd());
    end(&shaper, flow, here);
    there.read(&mut [0; 10]).map_err(|why| why.kind())
}

#[test]
fn an_ordinary_end_is_a_friendly_one() {
    let read = read_after(|_, flow, socket| {
        flow.close();
        drop(socket);
    });
    assert_eq!(read, Ok(0));
}

#[test]
fn who_is_killed_leaves_nothing_to_be_answered() {
    // The kernel closes the sockets of the dead; nobody closes the flow before.
    let read = read_after(|_, _, socket| drop(socket));
    assert_eq!(read, Err(ErrorKind::ConnectionReset));
}

#[test]
fn the_end_of_a_crawl_leaves_nothing_to_be_answered() {
    let read = read_after(|shaper, flow, socket| {
        shaper.abandon();
        flow.close();
        drop(socket);
    });
    assert_eq!(read, Err(ErrorKind::ConnectionReset));
}
