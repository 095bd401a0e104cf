use weir_plan::refresh::Belief;

use super::{Brought, Came};
use crate::visit::Visit;

/// What to note of a visit, and what it has brought beside the one before. `listed_ms` is when the page was
/// changed, as a sitemap said when it was found; `site` is what is believed of the pages around it.
pub fn compared(
    mut brought: Brought,
    visit: Option<Visit>,
    earlier: Option<Visit>,
    listed_ms: Option<u64>,
    site: &Belief,
) -> (Option<Visit>, Option<Came>) {
    let changes = earlier.as_ref().map(|earlier| earlier.changes).unwrap_or_default();
    let mut new = match (brought.is_same, visit, earlier) {
        // The payload is the one of then.
        (true, _, Some(earlier)) => earlier,
        (_, Some(visit), earlier) => {
            let same =
                |earlier: &Visit| earlier.digest == visit.digest && brought.exact == changes.exact;
            brought.is_same = earlier.as_ref().is_some_and(same);
            let told = visit
                .modified_ms()
                .filter(|at| earlier.as_ref().and_then(Visit::modified_ms) != Some(*at));
            brought.modified_ms = told.or(listed_ms.filter(|_| changes.visits == 0));
            visit
        }
        (_, None, _) => return (None, None),
    };
    new.changes = changes;
    let came = new.changes.learn(&brought, site);
    (Some(new), Some(came))
}
