//! Who may use whom: the table in ARCHITECTURE.md, held to what the manifests say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Layers = BTreeMap<String, BTreeSet<String>>;

#[test]
fn each_crate_uses_the_crates_that_the_map_says() {
    let (told, real) = (told(), real());
    assert_eq!(told.keys().collect::<Vec<_>>(), real.keys().collect::<Vec<_>>());
    for (name, used) in &real {
        assert_eq!(
            &told[name], used,
            "{name}, as ARCHITECTURE.md has it and as its manifest has it"
        );
    }
}

/// The rows of the table: crates, and what they may use. A remark stands in brackets or before a colon.
fn told() -> Layers {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = map.lines().skip_while(|line| *line != "| crate | may use |").skip(2);
    let mut layers = Layers::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').collect();
        let used = match cells[2].trim() {
            "nothing of ours" => BTreeSet::new(),
            used => names(used).collect(),
        };
        names(cells[1]).for_each(|name| drop(layers.insert(name, used.clone())));
    }
    layers
}

fn names(cell: &str) -> impl Iterator<Item = String> {
    let name = |part: &str| {
        let part = part.split('(').next().unwrap_or_default();
        part.rsplit(':').next().unwrap_or_default().trim().to_owned()
    };
    cell.split(',').map(name).collect::<Vec<_>>().into_iter()
}

fn real() -> Layers {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let folders = crates.map(|entry| entry.unwrap().path());
    let folders = folders.chain([root().join("python"), root().join("xtask")]);
    folders.map(|folder| (short(&folder), dependencies(&folder))).collect()
}

fn short(folder: &Path) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    name.trim_start_matches("weir-").to_owned()
}

/// Those of ours, but for those of tests.
fn dependencies(folder: &Path) -> BTreeSet<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let ours = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| {
        let name = line.split(['.', ' ', '=']).next()?;
        name.strip_prefix("weir-").map(str::to_owned)
    });
    ours.collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
