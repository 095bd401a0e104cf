//! Sends a script.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::script::{Maker, Script, Step};

/// A client that neither reads nor closes for this long is left.
const PATIENCE: Duration = Duration::from_secs(120);

/// Whether the connection may carry another request. `before_bytes` is called before anything
/// is sent, so that what it notes is never later than the client's own clock says.
pub(crate) async fn play(
    stream: &mut TcpStream,
    script: Script,
    mut before_bytes: impl FnMut(),
) -> io::Result<bool> {
    for step in script.steps {
        match step {
            Step::Send(bytes) => {
                before_bytes();
                timeout(PATIENCE, stream.write_all(&bytes)).await??;
            }
            Step::Pause(time) => sleep(time).await,
            Step::Make(maker) => make(stream, maker, &mut before_bytes).await?,
            Step::Stall => {
                wait_for_the_end(stream).await?;
                return Ok(false);
            }
            Step::Reset => {
                before_bytes();
                stream.set_zero_linger()?;
                return Ok(false);
            }
            Step::Close => {
                before_bytes();
                return Ok(false);
            }
        }
    }
    Ok(true)
}

async fn make(
    stream: &mut TcpStream,
    mut maker: Maker,
    before_bytes: &mut impl FnMut(),
) -> io::Result<()> {
    let mut piece = Vec::with_capacity(PIECE * 2);
    let mut more = true;
    while more {
        piece.clear();
        while more && piece.len() < PIECE {
            more = maker(&mut piece);
        }
        before_bytes();
        timeout(PATIENCE, stream.write_all(&piece)).await??;
    }
    Ok(())
}

const PIECE: usize = 64 * 1024;

/// Returns when the client closes, says anything more, or has been silent for too long.
async fn wait_for_the_end(stream: &mut TcpStream) -> io::Result<()> {
    match timeout(PATIENCE, stream.readable()).await {
        Ok(ready) => ready,
        Err(_) => Ok(()),
    }
}
