//! The seal on a ticket: by it a scheduler that was killed and started again knows that it gave a
//! job to this downloader itself, though it remembers nothing of it.

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use ring::hmac::{self, HMAC_SHA256, Key};

use crate::wire::Ticket;

pub struct Seal {
    key: Key,
}

pub const SECRET: usize = 32;
const TAG: usize = 32;

impl Seal {
    pub fn new(secret: &[u8; SECRET]) -> Seal {
        Seal { key: Key::new(HMAC_SHA256, secret) }
    }

    pub fn close(&self, ticket: &Ticket, holder: &[u8]) -> Bytes {
        let mut sealed = BytesMut::with_capacity(ticket.encoded_len() + TAG);
        ticket.encode(&mut sealed).expect("a buffer that grows is never full");
        let tag = hmac::sign(&self.key, &signed(&sealed, holder));
        sealed.put_slice(tag.as_ref());
        sealed.freeze()
    }

    /// `None` if it is not ours, or not for this holder.
    pub fn open(&self, sealed: &[u8], holder: &[u8]) -> Option<Ticket> {
        let (ticket, tag) = sealed.split_at_checked(sealed.len().checked_sub(TAG)?)?;
        hmac::verify(&self.key, &signed(ticket, holder), tag).ok()?;
        Ticket::decode(ticket).ok()
    }
}

/// Both, and where one ends.
fn signed(ticket: &[u8], holder: &[u8]) -> Vec<u8> {
    [&(holder.len() as u64).to_le_bytes(), holder, ticket].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_for_the_holder_opens() {
        let seal = Seal::new(&[7; SECRET]);
        let ticket = Ticket { url: "http://a/".to_owned(), url_number: 3, ..Ticket::default() };
        let sealed = seal.close(&ticket, b"one");
        assert_eq!(seal.open(&sealed, b"one"), Some(ticket));
        assert_eq!(seal.open(&sealed, b"two"), None, "another downloader's");
        assert_eq!(Seal::new(&[8; SECRET]).open(&sealed, b"one"), None, "another crawl's");
        for at in 0..sealed.len() {
            let mut spoiled = sealed.to_vec();
            spoiled[at] ^= 1;
            assert_eq!(seal.open(&spoiled, b"one"), None, "byte {at}");
            assert_eq!(seal.open(&sealed[..at], b"one"), None, "cut at {at}");
        }
    }
}
