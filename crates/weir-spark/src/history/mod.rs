//! When to come back to which page, over tables: what `weir crawl` reads off its notes is learnt here from the
//! rows of all visits, in batches and with little memory, as the jobs of Spark hand them over.
//!
//! `pages` learns from the visits of each page, `sites` what the pages of a site are like, `worth` says what a
//! visit gains. The model is `weir_plan::refresh`, and what is made of it `weir_crawl`'s.

mod batch;
mod pages;
mod sites;
mod worth;

pub(crate) use batch::column;
pub use batch::{read, write};
pub use pages::Pages;
pub use sites::{Sites, everywhere};
pub use worth::worth;
