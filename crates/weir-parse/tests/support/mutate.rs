//! Breaks seeds: bytes that nearly are what a parser expects reach further into it than random ones.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use proptest::prelude::*;

use super::material;
use super::suite::{base64, rows};

/// The files of `tests/seeds/FOLDER`, in the order of their names.
pub fn seeds(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds").join(folder);
    let seeds: Vec<_> = files(&folder).iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty(), "{folder:?} has no seeds");
    seeds
}

/// Beginnings of real pages, if the shared material is there.
pub fn real_pages() -> Vec<Vec<u8>> {
    let Some(folder) = material("articles") else { return Vec::new() };
    let paths = ["aeb", "htmldate"].map(|set| files(&folder.join(set).join("html")));
    paths.iter().flat_map(|paths| paths.iter().step_by(7)).map(|path| start_of(path)).collect()
}

/// Real sitemaps, if the shared material is there.
pub fn real_sitemaps() -> Vec<Vec<u8>> {
    let rows = rows("sitemaps/cases.jsonl").unwrap_or_default();
    let bodies = rows.iter().map(|row| base64(&row["body_b64"]));
    bodies.filter(|body| body.len() < 5000).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.collect();
    files.sort();
    files
}

fn start_of(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).take(8000).read_to_end(&mut bytes).unwrap();
    bytes
}

/// A seed with a few wounds, its tokens from `words`.
pub fn mutated(
    seeds: Vec<Vec<u8>>,
    words: &'static [&'static str],
) -> impl Strategy<Value = Vec<u8>> {
    let count = seeds.len();
    let wound = (0..7_u8, any::<u32>(), 0..200_usize, any::<prop::sample::Index>(), any::<u8>());
    (0..count, prop::collection::vec(wound, 0..8)).prop_map(move |(seed, wounds)| {
        let mut bytes = seeds[seed].clone();
        for (kind, at, length, index, byte) in wounds {
            let at = at as usize % (bytes.len() + 1);
            let end = (at + length).min(bytes.len());
            let other = &seeds[index.index(count)];
            let from = usize::from(byte) * other.len() / 256;
            let (end, new) = match kind {
                0 => ((at + 1).min(bytes.len()), vec![byte]),
                1 => (end, Vec::new()),
                2 => (at, words[index.index(words.len())].as_bytes().to_vec()),
                3 => (end, bytes[at..end].repeat(2)),
                4 => (end, bytes[at..end].iter().rev().copied().collect()),
                5 => (at, other[from..other.len().min(from + length)].to_vec()),
                _ => (bytes.len(), bytes[at..end].to_vec()), // cut off
            };
            bytes.splice(at..end, new);
        }
        bytes
    })
}
