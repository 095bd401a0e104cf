use std::fs;

use super::{Result, cannot};
use crate::shell::root_of_project;

/// Where the list of what goes into the Debian package stands.
const CRATE: &str = "crates/webweir";

/// A line of that list: where it is taken from, and where it goes.
pub struct Asset {
    pub from: String,
    pub to: String,
}

/// The list as it is written, a line each: `["from", "to", "mode"],`.
pub fn read() -> Result<Vec<Asset>> {
    let manifest = root_of_project().join(CRATE).join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|why| cannot("read", &manifest, &why))?;
    let list = text.split_once("\nassets = [\n").and_then(|(_, rest)| rest.split_once("\n]"));
    let (list, _) = list.ok_or_else(|| cannot("find the assets in", &manifest, &"no list"))?;
    Ok(list.lines().filter_map(asset).collect())
}

fn asset(line: &str) -> Option<Asset> {
    let mut words = line.split('"').skip(1).step_by(2).map(str::to_owned);
    Some(Asset { from: words.next()?, to: words.next()? })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::generated::{COMPLETIONS, FOLDER, MANUAL};
    use super::*;

    #[test]
    fn every_asset_is_a_file_of_the_project_or_one_that_weir_writes() {
        let all = read().unwrap();
        assert!(all.iter().any(|asset| asset.to == "usr/bin/"));
        for Asset { from, .. } in all.iter().filter(|asset| !asset.from.starts_with("target/")) {
            assert!(is_there(&root_of_project().join(CRATE).join(from)), "{from} is not there");
        }
    }

    #[test]
    fn what_weir_writes_about_itself_is_what_the_package_takes() {
        let taken: BTreeSet<String> = read()
            .unwrap()
            .into_iter()
            .filter_map(|asset| Some(asset.from.strip_prefix("target/")?.to_owned()))
            .collect();
        let files = COMPLETIONS.iter().map(|(_, file)| format!("{FOLDER}/{file}"));
        let others = ["release/weir".to_owned(), format!("{FOLDER}/{MANUAL}/*.1.gz")];
        assert_eq!(taken, files.chain(others).collect());
    }

    #[test]
    fn the_changelog_of_the_package_begins_with_the_version_of_weir() {
        let changelog = root_of_project().join("packaging/debian/changelog");
        let text = fs::read_to_string(changelog).unwrap();
        let wanted = format!("webweir ({}-1) ", env!("CARGO_PKG_VERSION"));
        assert!(text.starts_with(&wanted), "{wanted:?} is not how it begins");
    }

    /// Of a pattern: `folder/*.ending` or `folder/**/*.ending` has a file.
    fn is_there(path: &Path) -> bool {
        let text = path.to_str().unwrap();
        let Some((folder, ending)) = text.split_once('*') else { return path.is_file() };
        let ending = ending.trim_start_matches("*/*");
        let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| entry.path().to_str().is_some_and(|path| path.ends_with(ending)))
    }
}
