use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::corpus::Corpora;
use crate::table::Column;

/// All videos of a page, or none, must be found, and no other.
pub fn print(data: &Path, corpora: &Corpora, own: &Column, worst: usize) -> Result<()> {
    let mut truth = videos(data)?;
    let (with, mut right, mut extra) = (truth.len(), 0, 0);
    for (set, pages) in corpora {
        for (page, found) in pages.iter().zip(own.readings(set)) {
            let found: BTreeSet<String> = found.videos.iter().cloned().collect();
            let wanted = truth.remove(&((*set).to_owned(), page.id.clone()));
            if wanted.as_ref() == Some(&found) {
                right += 1;
            } else if wanted.is_some() || !found.is_empty() {
                extra += usize::from(wanted.is_none());
                if worst > 0 {
                    println!("  videos {set} {} {}", page.id, page.url);
                    println!("      wanted {wanted:?}\n      found  {found:?}");
                }
            }
        }
    }
    println!(
        "videos        {right} of {with} pages right, {extra} pages with videos that are not listed"
    );
    Ok(())
}

type Videos = BTreeMap<(String, String), BTreeSet<String>>;

fn videos(data: &Path) -> Result<Videos> {
    let path = data.join("videos.jsonl.gz");
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut videos = Videos::new();
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let lists = row["videos"].as_object().into_iter().flat_map(|lists| lists.values());
        let urls = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        videos.insert((text("set"), text("id")), urls.map(str::to_owned).collect());
    }
    Ok(videos)
}
