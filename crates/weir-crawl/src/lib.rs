//! One crawl, from seeds to output. The stages (frontier, fetch, parse, store) do not know each
//! other; they meet here, in two halves: `dispatch` decides what is fetched and when, `work`
//! fetches, parses and packs one URL. On one machine `crawl` joins the two; a cluster puts a
//! network between them.
//!
//! Read `crawl.rs` first: it is the loop. `settings.rs` is what a user may write, `config.rs` what
//! that means.

mod admission;
mod allowance;
mod almanac;
mod beginning;
mod budget;
mod calendar;
mod config;
mod content;
mod counts;
mod crawl;
mod delivery;
mod directives;
mod dispatch;
mod downloader;
mod due;
mod freshness;
#[cfg(test)]
mod fuzz;
mod handed;
mod hands;
mod helm;
mod keeper;
mod line;
mod lost;
mod outlets;
mod pace;
mod part;
mod past;
mod plan;
mod policy;
mod progress;
mod recent;
mod replace;
mod report;
mod robots;
mod scope;
mod servers;
mod settings;
mod sitemaps;
mod speeds;
mod tasks;
mod traps;
mod visit;
mod work;

pub use admission::Admission;
pub use almanac::{Almanac, Holiday};
pub use budget::{Budget, FILE as BUDGET_FILE, LedgerError, Period};
pub use calendar::Calendar;
pub use config::{Config, FRONTIER, RobotsMode, StoreChoice};
pub use content::{Given, Inspected, Inspector};
pub use counts::{BOUNDS_S, Counts, Error as CountedError, Histogram};
pub use crawl::{
    CrawlError, Ended, MARK as STORE_NOTE, Records, Stop, Survey, crawl, crawl_part, crawl_with,
    survey,
};
pub use delivery::Delivery;
pub use dispatch::DISALLOWED;
pub use due::Due;
pub use freshness::{Came, Learnt, Summary, VisitRow, Worth, everywhere, of_site};
pub use handed::HandedOn;
pub use hands::{DownloaderReport, Hands, Origin, Start, Starter};
pub use helm::{
    Action, Effect, Helm, LimitedBy, Moved, Prospect, Refusal, SiteState, SiteView, View,
};
pub use lost::Lost;
pub use outlets::Outlets;
pub use part::{CameBack, Part, Parting, Tap, Traveller, bucket_of};
pub use past::PastRound;
pub use plan::{Change, FILE as PLAN_FILE, Plan, Planned, PlannedSite, Spent, Suggestion};
pub use progress::{Intake, Progress, SiteProgress, Span};
pub use replace::replace_for_good;
pub use report::{
    FILE as REPORT_FILE, Failures, Finish, FreshnessReport, Report, SinkReport, SiteReport,
    Skipped, moment, parse_moment,
};
pub use servers::{
    MOST_SERVERS, ServerGrant, ServerKey, ServerLease, ServerManners, ServerWord, ServerWords,
    Servers,
};
pub use settings::{ConfigError, EXAMPLE, Settings, SiteSettings};
pub use speeds::{Estimate, FILE as SPEEDS_FILE, Speeds};
pub use traps::Admitted;
pub use visit::Visit;
pub use weir_content::rules::Failed;
pub use work::{Answer, Job, PageJob, PageWorked, RobotsReply, SiteHabits, Worked, Worker};
