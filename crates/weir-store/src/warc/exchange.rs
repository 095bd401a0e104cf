use std::net::IpAddr;

use weir_types::{Cut, Page, Protocol};

use super::record::{
    Date, RecordId, begin, block_start, block_with_digest, field, foreign_field, put,
};
use crate::PageFacts;
use crate::digest::Digest;
use crate::firsts::First;
use crate::gzip::Effort;

/// What the records of one exchange have in common. The store keeps it until it knows whether the
/// page is a response or a revisit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub url: String,
    /// Of the response or revisit record, which the others point at.
    pub id: RecordId,
    pub date: Date,
    pub digest: Digest,
    /// The response's head as it is stored.
    pub head: Vec<u8>,
    pub address: IpAddr,
    pub protocol: Protocol,
    pub cut: Option<Cut>,
}

impl Exchange {
    /// All that comes before the body; what comes after it is [`END`].
    pub fn response(&self, body: &[u8], out: &mut Vec<u8>) {
        begin(out, "response", self.id, self.date);
        self.target(out);
        field(out, "WARC-Payload-Digest", self.digest);
        if let Some(cut) = self.cut {
            field(out, "WARC-Truncated", cut.as_str());
        }
        block_start(out, "application/http;msgtype=response", &self.head, body.len());
    }

    /// The same payload was stored before: only the head is kept, and where the body is.
    pub fn revisit(&self, first: &First, out: &mut Vec<u8>) {
        begin(out, "revisit", self.id, self.date);
        self.target(out);
        field(out, "WARC-Profile", PROFILE);
        foreign_field(out, "WARC-Refers-To-Target-URI", &first.url);
        field(out, "WARC-Refers-To-Date", first.date);
        field(out, "WARC-Refers-To", first.id);
        field(out, "WARC-Payload-Digest", self.digest);
        block_with_digest(out, "application/http;msgtype=response", &self.head);
    }

    /// The server says that the payload is the one of another time, whose digest this has.
    pub fn not_modified(&self, since: Date, out: &mut Vec<u8>) {
        begin(out, "revisit", self.id, self.date);
        self.target(out);
        field(out, "WARC-Profile", NOT_MODIFIED);
        foreign_field(out, "WARC-Refers-To-Target-URI", &self.url);
        field(out, "WARC-Refers-To-Date", since);
        if self.digest != Digest::NONE {
            field(out, "WARC-Payload-Digest", self.digest);
        }
        block_with_digest(out, "application/http;msgtype=response", &self.head);
    }

    pub fn request(&self, id: RecordId, head: &[u8], out: &mut Vec<u8>) {
        begin(out, "request", id, self.date);
        self.target(out);
        field(out, "WARC-Concurrent-To", self.id);
        block_with_digest(out, "application/http;msgtype=request", head);
    }

    pub fn metadata(&self, id: RecordId, about: &[u8], out: &mut Vec<u8>) {
        begin(out, "metadata", id, self.date);
        foreign_field(out, "WARC-Target-URI", &self.url);
        field(out, "WARC-Concurrent-To", self.id);
        block_with_digest(out, "application/warc-fields", about);
    }

    fn target(&self, out: &mut Vec<u8>) {
        foreign_field(out, "WARC-Target-URI", &self.url);
        field(out, "WARC-IP-Address", self.address);
        if self.protocol == Protocol::Http2 {
            field(out, "WARC-Protocol", "h2");
        }
    }
}

/// The block of the metadata record. `out` is emptied first.
pub(crate) fn about(page: &Page, facts: &PageFacts, out: &mut Vec<u8>) {
    out.clear();
    if let Some(parent) = &facts.parent {
        foreign_field(out, "via", parent);
    }
    if facts.depth > 0 {
        // The standard wants a letter a hop; we do not keep which kinds they were.
        let hops = (facts.depth as usize).min(LINKS.len());
        field(out, "hopsFromSeed", &LINKS[..hops]);
    }
    put(out, format_args!("depth: {}\r\n", facts.depth));
    put(out, format_args!("fetchTimeMs: {}\r\n", page.elapsed.as_millis()));
    put(out, format_args!("firstByteMs: {}\r\n", page.first_byte.as_millis()));
    if let Some(charset) = &facts.charset {
        foreign_field(out, "charsetForLinkExtraction", charset);
    }
    if let Some(kept) = facts.kept {
        put(out, format_args!("keptByRule: {kept}\r\n"));
    }
}

const LINKS: &str = "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL";
const PROFILE: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// What is compressed already is not worth compressing again.
pub(crate) fn effort(page: &Page) -> Effort {
    let coded = page.header("content-encoding").is_some_and(|coding| {
        !coding.trim().is_empty() && !coding.trim().eq_ignore_ascii_case("identity")
    });
    if coded || page.header("content-type").is_some_and(is_compressed_type) {
        return Effort::Store;
    }
    Effort::Squeeze
}

fn is_compressed_type(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (family, kind) = essence.split_once('/').unwrap_or((&essence, ""));
    match family {
        "image" => !matches!(kind, "svg+xml" | "bmp" | "x-icon" | "vnd.microsoft.icon" | "tiff"),
        "video" | "audio" => true,
        "font" => kind.starts_with("woff"),
        "application" => {
            let office = "vnd.openxmlformats-officedocument.";
            let known = ["zip", "gzip", "x-gzip", "pdf", "zstd", "epub+zip", "x-bzip2", "x-xz"];
            let more = ["x-7z-compressed", "x-rar-compressed", "vnd.rar", "java-archive"];
            known.contains(&kind) || more.contains(&kind) || kind.starts_with(office)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_compressed_yet_is_compressed() {
        for (kind, compressed) in [
            ("text/html; charset=utf-8", false),
            ("application/json", false),
            ("IMAGE/PNG", true),
            ("image/svg+xml", false),
            ("application/pdf", true),
            ("font/woff2", true),
            ("video/mp4", true),
            ("", false),
        ] {
            assert_eq!(is_compressed_type(kind), compressed, "{kind}");
        }
    }
}
