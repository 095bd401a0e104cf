use std::collections::HashSet;

use weir_frontier::{Frontier, FrontierError};
use weir_types::Fingerprint;

/// Of these URLs, those whose outcome is known wait once more, with what was noted of their last visit. Returns
/// how many; what is not known here, was left out for good or is too deep stays as it is.
pub fn ask_again(frontier: &mut Frontier, urls: &[String]) -> Result<u64, FrontierError> {
    if urls.is_empty() {
        return Ok(0);
    }
    let wanted: HashSet<Fingerprint> = urls.iter().map(|url| Fingerprint::of(url)).collect();
    let mut count = 0;
    for resting in frontier.resting(|_| true)? {
        if wanted.contains(&resting.fingerprint) {
            count += u64::from(frontier.ask_again(&resting)?);
        }
    }
    Ok(count)
}
