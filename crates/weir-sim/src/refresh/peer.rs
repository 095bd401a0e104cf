use super::Learns;
use super::intervals::Intervals;
use super::ours::Ours;
use super::run::Policy;
use super::steady::{Steady, Wants};
use super::web::Web;

/// Who decides when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The best schedule of one who knows all rates.
    Optimum,
    /// weir: rates are learnt, the page that gains most for a byte is next.
    Ours,
    /// The same, with something left out.
    OursWithout(Learns),
    /// All pages equally often.
    Uniform,
    /// Each as often as it changes, which is known.
    Proportional,
    /// An interval grows by 0.4 of itself if nothing is new and shrinks by 0.2 if something is, within a
    /// minute and 90 days: the adaptive schedule of Apache Nutch, without its shift of the phase.
    Nutch,
    /// An interval is doubled if nothing is new, and halved if something is.
    Doubling,
    /// All pages one after the other, each fetched in full.
    Full,
}

impl Peer {
    pub const ALL: [Peer; 7] = [
        Peer::Optimum,
        Peer::Ours,
        Peer::Uniform,
        Peer::Proportional,
        Peer::Nutch,
        Peer::Doubling,
        Peer::Full,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Peer::Optimum => "optimum",
            Peer::Ours => "weir",
            Peer::OursWithout(Learns::Anything) => "rates known",
            Peer::OursWithout(Learns::Sites) => "without sites",
            Peer::OursWithout(Learns::Doubt) => "without doubt",
            Peer::OursWithout(Learns::Dates) => "without dates",
            Peer::OursWithout(Learns::Forgetting) => "without forgetting",
            Peer::Uniform => "uniform",
            Peer::Proportional => "proportional",
            Peer::Nutch => "nutch",
            Peer::Doubling => "doubling",
            Peer::Full => "full",
        }
    }

    pub(super) fn is_conditional(self) -> bool {
        self != Peer::Full
    }

    pub(super) fn policy(self, web: &Web, budget: f64) -> Box<dyn Policy + '_> {
        let steady = |wants: Wants| Box::new(Steady::new(web, budget, wants));
        match self {
            Peer::Optimum => steady(Wants::Best),
            Peer::Proportional => steady(Wants::AsItChanges),
            Peer::Uniform | Peer::Full => steady(Wants::Same),
            Peer::Nutch => Box::new(Intervals::new(web, 1.4, 0.8)),
            Peer::Doubling => Box::new(Intervals::new(web, 2.0, 0.5)),
            Peer::Ours => Box::new(Ours::new(web, budget, None)),
            Peer::OursWithout(left_out) => Box::new(Ours::new(web, budget, Some(left_out))),
        }
    }
}
