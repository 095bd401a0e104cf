//! What the statements of Diligenti et al. 2004 depend on: the table of docs/reproduction.md.
//!
//! cargo run --release -p weir-sim --example assumptions

fn main() {
    print!("{}", weir_sim::bounded::assumptions().markdown());
}
