//! What the statements of Diligenti et al. 2004 depend on is told as it is.

#![allow(clippy::unwrap_used)]

use weir_sim::bounded::assumptions;
use weir_sim::table::Cell;

#[test]
fn the_page_has_the_table_as_it_comes_out() {
    let table = assumptions();
    let page = include_str!("../../../docs/reproduction.md");
    for line in table.markdown().lines() {
        assert!(page.contains(line), "cargo run -p weir-sim --example assumptions: {line}");
    }
    let more = table.column("6 above 2").unwrap();
    let of = |name: &str| {
        let row = table.rows.iter().position(|row| row[0] == Cell::from(name)).unwrap();
        more[row]
    };
    // A larger max_d uses more, unless few servers with one connection each are all there is.
    assert!(of("one connection, waiting for it uses up depth") >= 18.0);
    assert!(of("the same, 0.3 s to the first byte") <= 2.0);
    // Ours uses the limit wherever there are servers and fetchers for it.
    let shape = table.column("shape").unwrap();
    assert!(shape.iter().filter(|used| **used > 0.97).count() >= 17, "{shape:?}");
}
