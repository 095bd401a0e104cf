//! WARC 1.1 records, written by hand: `docs/formats/warc.md` says what stands in them.

mod exchange;
mod files;
mod head;
mod info;
mod record;

pub(crate) use exchange::{Exchange, about, effort};
pub(crate) use files::WarcFiles;
pub(crate) use head::without_transfer_coding;
use info::warcinfo;
pub(crate) use record::{Date, END, RecordId};
