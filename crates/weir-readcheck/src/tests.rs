use std::path::PathBuf;

use crate::bars::ROWS;
use crate::{DATA, corpus, own};

/// The time it takes is another matter, for `cargo xtask extraction`.
#[test]
fn what_is_read_reaches_every_bar() {
    let data = std::env::var_os("WEIR_ARTICLES").map_or_else(|| DATA.into(), PathBuf::from);
    if !data.is_dir() {
        eprintln!("SKIPPED: extraction: no article corpora at {}", data.display());
        return;
    }
    let corpora = corpus::all(&data).unwrap();
    let own = own(&corpora);
    for row in ROWS {
        let figure = row.figure(&corpora[row.set], own.readings(row.set)).unwrap();
        assert!(row.is_reached(figure), "{} of {}: {figure:.4}", row.name, row.set);
    }
}
