//! One rate a site, from its first byte to its last: the paper's instant allocation, and what the
//! paper compares itself with.
//!
//! These are the best of their kind (`paper`), but the kind is poor: a finished site's bandwidth
//! goes to nobody. They are here to be compared with, and for `rounds`.

mod chance;
mod differential;
mod genetic;
mod paper;
mod proportional;
mod search;
mod split;

pub use chance::random;
pub use differential::de;
pub use genetic::ga;
pub use paper::{auto, earliest_finish, least_lateness, least_lateness_of_due, least_sum};
pub use proportional::{pro_bandwidth, pro_data};

use crate::{Allocation, Goal, Options, Policy, Problem, Refused};

/// What the constant-rate policy of this name gives each site.
pub(crate) fn allocate(
    problem: &Problem,
    policy: Policy,
    options: &Options,
) -> Result<Allocation, Refused> {
    let cap = cap_if_suited(problem, policy)?;
    let sites = problem.sites.as_slice();
    let rates = match policy {
        Policy::MMaxt => earliest_finish(sites, cap)?,
        Policy::MSumt => least_sum(sites, cap)?,
        Policy::MStet => least_lateness(sites, cap),
        Policy::MStetPure => least_lateness_of_due(sites, cap),
        Policy::MAuto => auto(sites, cap, Goal::Last),
        Policy::ProBandwidth => pro_bandwidth(sites, cap),
        Policy::ProData => pro_data(sites, cap),
        Policy::Random => random(sites, cap, options.seed),
        Policy::Ga => ga(sites, cap, options.goal, options.seed),
        Policy::De => de(sites, cap, options.goal, options.seed),
        other => unreachable!("{other} is no constant-rate policy"),
    };
    Ok(Allocation::at_constant_rates(sites, rates))
}

/// The cap, for a policy that gives all sites a rate at once.
pub(crate) fn cap_if_suited(problem: &Problem, policy: Policy) -> Result<f64, Refused> {
    let cap = fixed_cap(problem, policy)?;
    let unfinished = problem.sites.iter().filter(|site| site.size > 0.0).count();
    if problem.at_once.is_some_and(|most| unfinished > most) {
        let with = "more sites than may run at once";
        return Err(Refused::Unfit { policy, with, instead: "realloc-maxt" });
    }
    Ok(cap)
}

/// The cap, for a policy that knows neither of another hour nor of a later arrival.
pub(crate) fn fixed_cap(problem: &Problem, policy: Policy) -> Result<f64, Refused> {
    let unfit = |with| Refused::Unfit { policy, with, instead: "deadline" };
    if problem.sites.iter().any(|site| site.release > 0.0) {
        return Err(unfit("sites that are released later"));
    }
    problem.cap.fixed().ok_or_else(|| unfit("a cap that changes with time"))
}
