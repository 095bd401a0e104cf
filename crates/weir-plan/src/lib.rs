//! Who gets how much bandwidth. Sizes, deadlines, the cap and the time go in; shares come out.
//!
//! There is no clock, socket or disk here, and nothing is left to chance that a seed does not
//! settle. All figures are `f64` in any units that agree with each other (bytes, bytes a second,
//! seconds in weir; the tests of the paper use kilobits).
//!
//! Read `problem` for what goes in, `allocation` for what comes out, `policy` for the names, then
//! `deadline/mod.rs`: the default policy. A crawl asks `replan` every second. The paper's policies are in
//! `constant` (one rate a site) and `rounds` (more sites than slots); `size` says how much a site has,
//! `calibrate`, `speed` and `admit` learn from what was measured and say what may start, `refresh` says
//! when to come back to a page.

pub mod admit;
mod allocation;
pub mod calibrate;
mod cap;
pub mod constant;
pub mod deadline;
mod fair;
mod flow;
mod guard;
mod level;
mod list;
pub mod needed;
mod policy;
mod problem;
mod rank;
pub mod refresh;
mod remedy;
mod replan;
pub mod rounds;
pub mod size;
pub mod speed;
mod steal;
mod verdict;

pub use allocation::{Allocation, Piece, Score};
pub use cap::Cap;
pub use policy::{Family, Goal, Options, Policy, Refused, UnknownPolicy, allocate, suits};
pub use problem::{Problem, Site, Wrong};
pub use remedy::{Remedy, remedies};
pub use replan::{
    FLOOR, Known, Outlook, RESERVE, Shares, State, replan, replan_if_holds, replan_with,
};
pub use verdict::{Verdict, judge, least_scale};
