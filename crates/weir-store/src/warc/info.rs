use super::record::{Date, RecordId, begin, block_with_digest, field, foreign_field};
use crate::StoreConfig;

/// The record that opens each file: who made it and how.
pub(crate) fn warcinfo(config: &StoreConfig, file_name: &str, id: RecordId, date: Date) -> Vec<u8> {
    let mut about = Vec::new();
    foreign_field(&mut about, "software", &config.software);
    field(&mut about, "format", "WARC File Format 1.1");
    field(&mut about, "conformsTo", SPECIFICATION);
    foreign_field(&mut about, "robots", &config.robots);
    foreign_field(&mut about, "http-header-user-agent", &config.user_agent);
    let mut record = Vec::new();
    begin(&mut record, "warcinfo", id, date);
    field(&mut record, "WARC-Filename", file_name);
    block_with_digest(&mut record, "application/warc-fields", &about);
    record
}

const SPECIFICATION: &str =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
