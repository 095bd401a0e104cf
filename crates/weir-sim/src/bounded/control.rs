use super::Estimate;

/// Who decides when a fetch starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// The paper's: as long as the predicted sum stays below the limit.
    Predict { depth: usize, estimate: Estimate },
    /// A fetcher more when less than the limit was measured in the last second, one fewer when it was
    /// more (Shkapenyuk and Suel 2002, as Diligenti et al. describe it).
    Feedback,
    /// Ours: bytes are held to the limit, and fetches start until the predicted sum is so many times
    /// the limit.
    Shape { ahead: f64 },
}

/// The depth of the search where only the shaper matters.
const DEPTH: usize = 6;

impl Control {
    pub const fn predict(depth: usize) -> Control {
        Control::Predict { depth, estimate: Estimate::MeanOfRates }
    }

    pub fn depth(&self) -> usize {
        match self {
            Control::Predict { depth, .. } => *depth,
            _ => DEPTH,
        }
    }

    pub fn estimate(&self) -> Estimate {
        match self {
            Control::Predict { estimate, .. } => *estimate,
            _ => Estimate::MeanOfRates,
        }
    }
}
