//! Rows as text: a JSON object a line, or a record of CSV (RFC 4180).

use std::io::Write;

use arrow_array::RecordBatch;

use super::{Cell, cell};
use crate::pages::schema;

/// All columns, null or not, in the order of the table.
pub(crate) fn json_line(rows: &RecordBatch, row: usize, out: &mut Vec<u8>) {
    let schema = rows.schema_ref();
    let mut before = b'{';
    for (field, column) in schema.fields().iter().zip(rows.columns()) {
        out.push(before);
        before = b',';
        put_json(field.name(), out);
        out.push(b':');
        put_json(&cell(column, row), out);
    }
    out.extend_from_slice(b"}\n");
}

pub(crate) fn csv_head(out: &mut Vec<u8>) {
    let schema = schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    out.extend_from_slice(names.join(",").as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Null is nothing at all, and a text without letters is a pair of quotes. Lists and maps are JSON.
pub(crate) fn csv_record(rows: &RecordBatch, row: usize, out: &mut Vec<u8>) {
    for (at, column) in rows.columns().iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match cell(column, row) {
            Cell::Null => {}
            Cell::Text(text) => put_csv(text, out),
            Cell::Number(number) => put(out, format_args!("{number}")),
            Cell::Truth(truth) => put(out, format_args!("{truth}")),
            Cell::Time(time) => put(out, format_args!("{time}")),
            nested => put_csv(&json(&nested), out),
        }
    }
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn json(cell: &Cell<'_>) -> String {
    serde_json::to_string(cell).expect("text and numbers are always JSON")
}

fn put_json(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("text and numbers are always JSON");
}

fn put_csv(text: &str, out: &mut Vec<u8>) {
    let plain = |c: char| !matches!(c, '"' | ',' | '\r' | '\n');
    let spaced = text.starts_with(' ') || text.ends_with(' ');
    if !text.is_empty() && !spaced && text.chars().all(plain) {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_text_has_it_is_one_field() {
        for (text, written) in [
            ("plain", "plain"),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            (" spaced", "\" spaced\""),
        ] {
            let mut out = Vec::new();
            put_csv(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }
}
