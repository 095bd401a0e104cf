//! For whoever reads the files of a downloader, which may be running meanwhile.

use std::path::Path;

use crate::SpoolError;
use crate::folder::{log_folder, segment_numbers, segment_path};
use crate::record::{Record, parse};
use crate::segment::scan;

/// How far the store in `dir` is committed; `None` if nothing ever was. Changes nothing.
pub fn committed(dir: &Path) -> Result<Option<Vec<u8>>, SpoolError> {
    let folder = log_folder(dir);
    let mut numbers = segment_numbers(&folder)?;
    // Each file begins with the last word of the one before, so the newest tells all. One that is gone
    // by now was not the newest.
    while let Some(number) = numbers.pop() {
        let mut last = None;
        let scanned = scan(&segment_path(&folder, number), |_, bytes| {
            if let Some(Record::Journal { mark, .. }) = parse(bytes) {
                last = Some(mark.to_owned());
            }
            Ok(())
        });
        match (scanned, last) {
            (_, Some(mark)) => return Ok(Some(mark).filter(|mark| !mark.is_empty())),
            (Err(why), None) if numbers.is_empty() => return Err(why),
            _ => {}
        }
    }
    Ok(None)
}
