//! Answers in gzip, for whoever takes it.

use std::io::{self, Write as _};

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use futures_util::stream::{once, unfold};
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};

/// `ready` is the text packed already.
pub fn answer(
    headers: &HeaderMap,
    kind: &'static str,
    plain: &[u8],
    ready: Option<&Vec<u8>>,
) -> Response {
    let kind = (CONTENT_TYPE, kind);
    if !takes_gzip(headers) {
        return ([kind], plain.to_vec()).into_response();
    }
    let body = ready.cloned().unwrap_or_else(|| gzip(plain));
    ([kind, (CONTENT_ENCODING, "gzip"), (VARY, "accept-encoding")], body).into_response()
}

pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut packer = Packer::new(Compression::default());
    packer.write(plain).and_then(|()| packer.end()).expect("writing into memory does not fail")
}

/// Packs a body as it comes: whatever has come can be unpacked at once, without what follows. An event of many sites is
/// mostly the same names over and over, so it becomes a tenth.
pub fn stream(headers: &HeaderMap, response: Response) -> Response {
    if !takes_gzip(headers) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let pieces = body.into_data_stream().map(Some).chain(once(async { None })).boxed();
    let packer = Packer::new(Compression::fast());
    let packed = unfold((pieces, packer), |(mut pieces, mut packer)| async move {
        let packed = match pieces.next().await? {
            Some(Ok(piece)) => packer.add(&piece),
            Some(Err(why)) => Err(io::Error::other(why)),
            None => packer.end(),
        };
        Some((packed.map(Bytes::from), (pieces, packer)))
    });
    Response::from_parts(parts, Body::from_stream(packed))
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let takes = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    takes.is_some_and(|takes| takes.contains("gzip"))
}

struct Packer(GzEncoder<Vec<u8>>);

impl Packer {
    fn new(level: Compression) -> Packer {
        Packer(GzEncoder::new(Vec::new(), level))
    }

    fn write(&mut self, plain: &[u8]) -> io::Result<()> {
        self.0.write_all(plain)
    }

    /// What has to be sent for this piece.
    fn add(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
        self.write(plain)?;
        self.0.flush()?;
        Ok(std::mem::take(self.0.get_mut()))
    }

    fn end(&mut self) -> io::Result<Vec<u8>> {
        self.0.try_finish()?;
        Ok(std::mem::take(self.0.get_mut()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;

    use super::*;

    #[test]
    fn each_piece_can_be_read_before_the_next_one_comes() {
        let mut packer = Packer::new(Compression::fast());
        let (mut sent, mut read) = (Vec::new(), String::new());
        for piece in ["data: one\n\n", "data: two\n\n"] {
            sent.extend(packer.add(piece.as_bytes()).unwrap());
            read.push_str(piece);
            let mut got = vec![0; read.len()];
            MultiGzDecoder::new(sent.as_slice()).read_exact(&mut got).unwrap();
            assert_eq!(got, read.as_bytes());
        }
        sent.extend(packer.end().unwrap());
        let mut got = String::new();
        MultiGzDecoder::new(sent.as_slice()).read_to_string(&mut got).unwrap();
        assert_eq!(got, read, "and it ends as gzip does");
    }
}
