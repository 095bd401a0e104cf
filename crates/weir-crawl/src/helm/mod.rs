//! Where somebody stands who looks at a crawl while it runs, and changes its course.
//!
//! A `Helm` is handed to the crawl with its config and kept by whoever serves people. Between the two are a picture of
//! the crawl, made anew every second, and a short queue of requests, which the loop takes between two turns: nothing
//! else reaches into a crawl from outside.

mod course;
mod effect;
mod view;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::{oneshot, watch};
use weir_types::Rate;

use crate::due::Due;
use crate::settings::SiteSettings;

pub(crate) use course::Course;
pub(crate) use effect::{effect, prospect};
pub use view::{LimitedBy, SiteState, SiteView, View};

#[derive(Clone)]
pub struct Helm(Arc<Shared>);

struct Shared {
    requests: Mutex<VecDeque<Request>>,
    view: watch::Sender<Option<Arc<View>>>,
}

/// Something that is to be done, or looked at as if it were.
pub struct Request {
    pub action: Action,
    /// Only say what would come of it.
    pub is_preview: bool,
    answer: oneshot::Sender<Result<Effect, Refusal>>,
}

#[derive(Clone, Debug)]
pub enum Action {
    /// Nothing new is asked of the site; what is under way ends.
    Pause {
        site: String,
    },
    Resume {
        site: String,
    },
    /// None takes it away.
    Deadline {
        site: String,
        due: Option<Due>,
    },
    Weight {
        site: String,
        weight: f64,
    },
    /// Of the whole crawl, at all times.
    Limit {
        rate: Rate,
    },
    /// One more site, with a URL to begin with.
    Add {
        site: Box<SiteSettings>,
    },
}

/// Why an action cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such site.
    NoSite(String),
    /// What is wrong with it, and what to do.
    Wrong(String),
    /// Not now, or not of this crawl.
    NotNow(String),
}

/// What an action changes, by the planner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    pub text: String,
    pub before: Prospect,
    pub after: Prospect,
    /// Those whose finish moves.
    pub sites: Vec<Moved>,
}

/// What is to be expected of the whole crawl.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prospect {
    pub feasible: bool,
    pub late: usize,
    pub finish: Option<Timestamp>,
    pub limit: Option<f64>,
    pub needed_limit: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    pub site: String,
    pub deadline: Option<Timestamp>,
    pub finish_before: Option<Timestamp>,
    pub finish_after: Option<Timestamp>,
    pub late_before_s: Option<f64>,
    pub late_after_s: Option<f64>,
}

/// Requests that wait at the most; the loop takes them several times a second.
const MOST_REQUESTS: usize = 32;

impl Default for Helm {
    fn default() -> Helm {
        let shared = Shared { requests: Mutex::default(), view: watch::Sender::new(None) };
        Helm(Arc::new(shared))
    }
}

impl fmt::Debug for Helm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Helm")
    }
}

impl Helm {
    /// The answer comes with one of the next turns; never, if the crawl ends before.
    pub fn ask(
        &self,
        action: Action,
        is_preview: bool,
    ) -> Result<oneshot::Receiver<Result<Effect, Refusal>>, Refusal> {
        let (answer, receiver) = oneshot::channel();
        let mut requests = self.requests();
        if requests.len() >= MOST_REQUESTS {
            return Err(Refusal::NotNow("too much is asked at a time; try again".to_owned()));
        }
        requests.push_back(Request { action, is_preview, answer });
        Ok(receiver)
    }

    /// The crawl as it was seen last, and whenever it is seen again.
    pub fn views(&self) -> watch::Receiver<Option<Arc<View>>> {
        self.0.view.subscribe()
    }

    pub(crate) fn show(&self, view: View) {
        self.0.view.send_replace(Some(Arc::new(view)));
    }

    pub(crate) fn next(&self) -> Option<Request> {
        self.requests().pop_front()
    }

    /// Nobody will take what waits.
    pub(crate) fn leave(&self) {
        self.requests().clear();
    }

    /// What is in it is whole at any time, so a thread that ended with it does no harm.
    fn requests(&self) -> MutexGuard<'_, VecDeque<Request>> {
        self.0.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Request {
    /// Whoever asked may have gone meanwhile.
    pub fn answer(self, answer: Result<Effect, Refusal>) {
        drop(self.answer.send(answer));
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoSite(site) => {
                write!(f, "there is no site {site:?} in this crawl; /api/sites lists them")
            }
            Refusal::Wrong(why) | Refusal::NotNow(why) => f.write_str(why),
        }
    }
}
