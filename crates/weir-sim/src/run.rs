//! A crawl of a world under a policy, from event to event.
//!
//! The policy is asked at every event, and once in a while besides. It sees predicted sizes and the
//! speeds measured so far, never the truth; what it says is then tried on the world.

mod drive;
mod outcome;
mod rounds;
mod state;

pub use outcome::Outcome;

use weir_plan::{Policy, Refused};

use crate::world::World;
use drive::Driver;
use state::State;

/// Runs the world to its end, or until its time is up.
pub fn run(world: &World, policy: Policy, seed: u64) -> Result<Outcome, Refused> {
    run_watched(world, policy, seed, &mut |_| {})
}

/// The same; `watch` is told at every event what part of all bytes has come.
pub fn run_watched(
    world: &World,
    policy: Policy,
    seed: u64,
    watch: &mut dyn FnMut(f64),
) -> Result<Outcome, Refused> {
    world.problem().check()?;
    let mut state = State::new(world);
    let mut driver = Driver::new(policy, seed);
    let mut asked = 0;
    while state.now < world.until {
        let Some(view) = state.view() else {
            // Nobody is there: on to the next arrival, if there is one.
            match state.next_release() {
                Some(at) => state.now = at,
                None => break,
            }
            continue;
        };
        let shares = driver.decide(&view, world)?;
        asked += 1;
        state.advance(&shares);
        watch(state.part_done());
    }
    Ok(state.finish(policy, seed, asked))
}

#[cfg(test)]
mod tests;
