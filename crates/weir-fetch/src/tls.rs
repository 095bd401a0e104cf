use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;

use tokio::net::TcpStream;

use crate::connect::Stream;
use crate::request::Target;
use crate::wire::Wire;
use crate::{Failure, SetupError};

pub struct Tls;

impl Tls {
    pub fn new(_roots: Option<PathBuf>) -> Result<Self, SetupError> {
        Ok(Tls)
    }

    pub async fn handshake(
        &self,
        target: &Target<'_>,
        _address: SocketAddr,
        _socket: TcpStream,
        _wire: Rc<Wire>,
    ) -> Result<(Stream, bool), Failure> {
        Err(Failure::Tls { host: target.host().to_owned(), why: "not yet supported".to_owned() })
    }
}
