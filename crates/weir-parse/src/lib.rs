//! Finds links, title, charset and directives in HTML: one streaming pass over bytes, no tree. Makes a
//! tree for whoever asks for one (`tree`).
//! Reads sitemaps, and makes canonical texts of URLs.
//!
//! It never fails: bad markup gives what a browser would have found in it. It does not fetch,
//! does not decide whether a link is followed, and undoes no content coding; callers do.
//!
//! Read `parser` next (the whole pass), then `scan/mod.rs` (the tokenizer) and `resolve` (from a
//! link as written to its canonical text). `canonical` is the one place for the rules of dedup,
//! `standard` for what a URL is, `sitemap` for sitemaps.

pub mod canonical;
mod charset;
mod facts;
mod finder;
mod html;
mod meta;
mod once;
mod parser;
mod plain;
mod rel;
mod resolve;
mod scan;
pub mod sitemap;
mod sketch;
mod srcset;
pub mod standard;
mod text;
pub mod tree;

pub use canonical::{Invalid, Rules, canonical, canonicalize};
pub use charset::charset;
pub use facts::{Facts, Robots};
pub use html::is_html;
pub use parser::{Ask, Finding, Link, MAX_LINK_BYTES, MAX_LINKS, Parser};
pub use sketch::sketch;
