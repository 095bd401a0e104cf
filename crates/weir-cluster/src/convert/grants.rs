use crate::purse::{Grant, Purse};
use crate::wire;

/// A grant of the whole limit has no share.
pub fn to_grant(share: u32, grant: Grant) -> wire::Grant {
    let rate = if grant.rate.is_finite() { grant.rate } else { -1.0 };
    wire::Grant { share, version: grant.version, rate }
}

/// What somebody says to hold, and what may come to it beside that. Who has heard nothing for too long is told anew.
pub fn note_in_force(purse: &mut Purse, who: u64, in_force: &wire::InForce) {
    purse.in_force(who, in_force.version);
    purse.owes(who, in_force.owed);
    if in_force.ran_out {
        purse.join(who);
    }
}
