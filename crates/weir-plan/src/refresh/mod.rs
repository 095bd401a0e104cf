//! When to come back to a page: what is believed of its rate of change, what a visit is worth, and who
//! is next.
//!
//! Changes of a page are taken as a Poisson process. Its rate is never known, so a [`Belief`] (a Gamma
//! distribution) stands for it everywhere: what the pages of the site are like (`prior`), and what the
//! visits of this page have shown (`evidence`) since it has its present `habits`. All times are in days.
//!
//! Whether a page has changed is for the caller to say. A near-duplicate (another date, another
//! advertisement, a counter) should be reported as the same page: then nothing is spent on going after
//! changes that nobody wants. But be consistent, as the rate that is learnt is the rate of what is reported.
//!
//! Read `page` for what a visit is worth, `schedule` for the best intervals under a budget, `turns` for
//! the same as a queue, for who can visit one page at a time. A crawl comes back in rounds, and takes those
//! pages of a round that gain most.

mod belief;
mod evidence;
mod gamma;
mod habits;
mod page;
mod prior;
mod schedule;
mod turns;

pub use belief::Belief;
pub use evidence::{Evidence, Seen};
pub use habits::{Habits, MEMORY};
pub use page::Page;
pub use prior::{Prior, WIDER};
pub use schedule::{LONGEST, LOOKS_AGAIN, Limits, SHORTEST, Schedule, for_budget, nearer};
pub use turns::Turns;
