//! How fresh copies are kept with a budget: the tables of docs/recrawl.md.
//!
//! cargo run --release -p weir-sim --example refresh_table

use weir_sim::refresh::{Peer, refresh_table};

fn main() {
    print!("{}", refresh_table(&Peer::ALL, 0..3).markdown());
}
