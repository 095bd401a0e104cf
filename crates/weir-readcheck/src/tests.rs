use std::path::Path;

use crate::bars::ROWS;
use crate::{DATA, corpus, own};

/// The time it takes is another matter, for `cargo xtask extraction`.
#[test]
fn what_is_read_reaches_every_bar() {
    if !Path::new(DATA).is_dir() {
        eprintln!("SKIPPED: extraction: no article corpora beside the project");
        return;
    }
    let corpora = corpus::all(Path::new(DATA)).unwrap();
    let own = own(&corpora);
    for row in ROWS {
        let figure = row.figure(&corpora[row.set], own.readings(row.set)).unwrap();
        assert!(row.is_reached(figure), "{} of {}: {figure:.4}", row.name, row.set);
    }
}
