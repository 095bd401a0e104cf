//! Who may talk to a scheduler: private keys and certificates on both sides (mutual TLS), and a
//! token that every call carries.
//!
//! [`init`] makes a folder with the keys of one cluster. [`ServerSecurity`] and [`ClientSecurity`]
//! decide, from the address and that folder, how a scheduler listens and how a downloader calls;
//! beyond loopback nothing goes without TLS, and no switch changes that. Both do TLS themselves rather
//! than through tonic, whose server hides why a handshake failed and whose client often loses why it
//! was refused: see [`incoming`] and `connector`. [`explain`] says what a failure means to whoever
//! reads it. What is said over the connection is left to others.
//!
//! Read `server` and `client` next; `keys` reads and judges the folder, `certificates` makes it.

mod address;
mod certificates;
mod client;
mod connection;
mod connector;
mod error;
mod explain;
mod files;
mod greet;
mod incoming;
mod init;
mod keys;
mod server;
#[cfg(test)]
mod tests;
mod token;

pub use certificates::day;
pub use client::ClientSecurity;
pub use connection::Caller;
use connection::Connection;
pub use error::KeysError;
pub use explain::{explain, explain_bank};
pub use incoming::incoming;
pub use init::{InitOptions, Made, add_downloader, init};
pub use server::ServerSecurity;

/// Told of every peer that was turned away: its address, and why in words for a user.
pub type Report = std::sync::Arc<dyn Fn(std::net::SocketAddr, String) + Send + Sync>;
