//! What a page says: its main text, its attributes (title, time, author and so on), fields by CSS
//! selector, and whether it is worth keeping.
//!
//! It reads the flat tree of `weir_parse::tree`, never fails on bad HTML, and is bounded in time and
//! memory by the length of the page. It fetches nothing and keeps nothing.
//!
//! Read `attributes/mod.rs` next, then `text/mod.rs` (which part of a page is its text); `rules/mod.rs` has the rules that
//! users write, `fields` what they select, `topic` what a page is about.

pub mod attributes;
pub mod fields;
mod near;
mod place;
pub mod rules;
pub mod text;
pub mod topic;
