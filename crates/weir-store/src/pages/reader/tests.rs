use std::fs;
use std::path::Path;

use arrow_array::cast::AsArray;

use super::*;
use crate::pages::{Place, Row, table_writer, write_batch};

/// A folder whose table has files of so many rows, the rest of which is in rows files.
fn folder(parquet: &[u32], rows: &[u32]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("pages")).unwrap();
    fs::create_dir(dir.path().join("store")).unwrap();
    let all = parquet.iter().chain(rows).zip(1..);
    for (count, number) in all {
        let text: Vec<u8> = (0..*count).flat_map(|row| line(number, row)).collect();
        let path = names_of(dir.path()).rows_path(number);
        fs::write(&path, text).unwrap();
        if number as usize <= parquet.len() {
            to_parquet(dir.path(), number);
            fs::remove_file(path).unwrap();
        }
    }
    dir
}

fn names_of(dir: &Path) -> Names {
    Names { dir: dir.to_owned(), label: None }
}

fn line(file: u32, row: u32) -> Vec<u8> {
    let url = format!("http://a/{file}/{row}");
    let mut line = Row { url: url.into(), ..Row::default() }.line();
    Place::default().close(&mut line);
    line
}

/// Two row groups, so that skipping passes the bound between them.
fn to_parquet(dir: &Path, number: u32) {
    let mut rows =
        RowsFile::open(&names_of(dir).rows_path(number), Batch { rows: 3, bytes: 1 << 20 });
    let rows = rows.as_mut().unwrap().as_mut().unwrap();
    let output = fs::File::create(names_of(dir).path(Kind::Pages, number)).unwrap();
    let mut writer = table_writer(output).unwrap();
    while let Some(batch) = rows.read(usize::MAX).unwrap() {
        write_batch(&mut writer, &batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

fn at(file: u32, row: u32) -> Position {
    Position { file, row }
}

fn read(dir: &Path, from: Position, until: Position) -> Vec<String> {
    let mut reader = PagesReader::new(names_of(dir), from);
    let mut urls = Vec::new();
    while let Some(batch) = reader.next(until).unwrap() {
        let column = batch.column(0).as_string::<i32>();
        urls.extend(column.iter().map(|url| url.unwrap().to_owned()));
    }
    assert_eq!(reader.at(), until.max(from));
    urls
}

#[test]
fn every_row_between_two_places_is_read_once_whatever_file_it_is_in() {
    let dir = folder(&[5, 4], &[7, 6]);
    let all = read(dir.path(), Position::START, at(4, 6));
    assert_eq!(all.len(), 22);
    let counts = [5, 4, 7, 6];
    let places: Vec<Position> = (1..)
        .zip(counts)
        .flat_map(|(file, rows)| (0..rows).map(move |row| at(file, row)))
        .collect();
    for (from, start) in places.iter().enumerate() {
        for (until, end) in places.iter().enumerate().skip(from) {
            assert_eq!(read(dir.path(), *start, *end), all[from..until], "{start:?} to {end:?}");
        }
    }
}

#[test]
fn what_is_not_committed_is_not_read_even_if_it_is_there() {
    let dir = folder(&[], &[7]);
    let path = names_of(dir.path()).rows_path(1);
    let mut text = fs::read(&path).unwrap();
    text.extend_from_slice(b"{\"url\":\"http://half");
    fs::write(&path, text).unwrap();
    assert_eq!(read(dir.path(), Position::START, at(1, 4)).len(), 4);
    assert_eq!(read(dir.path(), at(1, 4), at(1, 7)).len(), 3);
}

#[test]
fn a_file_that_becomes_parquet_under_the_reader_is_read_on() {
    let dir = folder(&[], &[7]);
    let mut reader = PagesReader::new(names_of(dir.path()), Position::START);
    assert_eq!(reader.next(at(1, 2)).unwrap().unwrap().num_rows(), 2);
    to_parquet(dir.path(), 1);
    fs::remove_file(names_of(dir.path()).rows_path(1)).unwrap();
    assert_eq!(reader.next(at(1, 5)).unwrap().unwrap().num_rows(), 3);
    assert_eq!(read(dir.path(), at(1, 5), at(2, 0)).len(), 2);
}

#[test]
fn rows_that_were_promised_and_are_not_there_are_an_error() {
    let dir = folder(&[3], &[2]);
    for until in [at(2, 3), at(4, 0)] {
        let mut reader = PagesReader::new(names_of(dir.path()), Position::START);
        let failed = std::iter::repeat_with(|| reader.next(until)).take(10).any(|it| it.is_err());
        assert!(failed, "{until:?}");
    }
}

/// The first rows of a table whose file has only these columns.
fn of_columns(names: &[&str]) -> Result<Option<arrow_array::RecordBatch>, StoreError> {
    let dir = folder(&[3], &[]);
    let mut reader = PagesReader::new(names_of(dir.path()), Position::START);
    let all = reader.next(at(2, 0)).unwrap().unwrap();
    let chosen: Vec<usize> = names.iter().map(|it| all.schema().index_of(it).unwrap()).collect();
    let fewer = all.project(&chosen).unwrap();
    let output = fs::File::create(names_of(dir.path()).path(Kind::Pages, 1)).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(output, fewer.schema(), None).unwrap();
    writer.write(&fewer).unwrap();
    writer.close().unwrap();
    PagesReader::new(names_of(dir.path()), Position::START).next(at(2, 0))
}

#[test]
fn columns_that_an_earlier_version_did_not_have_are_null() {
    let first = [
        "url",
        "depth",
        "status",
        "fetched_at",
        "elapsed_ms",
        "bytes_wire",
        "bytes_body",
        "digest",
    ];
    let rows = of_columns(&first).unwrap().unwrap();
    assert_eq!(rows.schema(), crate::pages::schema());
    assert_eq!(rows.column_by_name("title").unwrap().null_count(), rows.num_rows());
    let failed = of_columns(&["url", "status"]).unwrap_err().to_string();
    assert!(failed.contains("no column depth"), "{failed}");
}
