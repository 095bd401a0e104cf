//! A deterministic web on loopback: many hosts, each on its own address 127.x.y.z, all on one
//! port, with a link graph that is known without fetching anything.
//!
//! [`Web::start`] serves what a [`Spec`] describes until it is dropped. [`Web::truth`] is the
//! exact answer a crawl should find; [`Web::counts`] is what the server saw being asked, with
//! the mistakes a crawler can make (forbidden pages, links that are none, the same page twice)
//! counted apart. Bodies are made anew for each request from the page's number, so a web of
//! 200,000 pages costs a few counters a page and no more.
//!
//! ```
//! use weir_testsite::{Spec, Web};
//! let web = Web::start(Spec::one_site(20))?;
//! println!("crawl {}", web.seeds()[0]); // http://127.1.0.1:PORT/
//! assert_eq!(web.truth().pages().count(), 20);
//! assert_eq!(web.counts().total().requests, 0);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! It leaves to others: TLS, HTTP/2, names (hosts are addresses), and any judgement about a
//! crawler; it only tells what is true and what was asked. HTTP is spoken by hand over `httparse`
//! because a test server must cut, stall and reset answers, and must cost the crawler beside it
//! on the same cores as little as it can.
//!
//! Read next: `spec.rs` (what can be asked for), `links.rs` (the graph), `serve.rs` (the server).

mod answer;
mod changing;
mod conditional;
mod counts;
mod filler;
mod hostile;
mod href;
mod html;
mod item;
mod layout;
mod links;
mod live;
mod play;
mod presets;
mod reply;
mod request;
mod rng;
mod script;
mod send;
mod serve;
mod spec;
mod truth;
mod visits;
mod web;
mod wire;

pub use changing::Changing;
pub use counts::{Counts, HostCounts, Repeat, Totals};
pub use hostile::{GOOD_PAGES, Hostile, http_date};
pub use script::{Asked, Play, Script};
pub use spec::{Fault, FaultKind, HostSpec, RobotsSpec, Spec};
pub use truth::{Kind, TrueUrl, Truth};
pub use visits::Visit;
pub use web::Web;
