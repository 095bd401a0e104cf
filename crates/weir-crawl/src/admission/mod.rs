//! Who may start when there is a limit. `shape` lets all start and bounds their bytes; the other
//! two are controls of the past, kept to be compared with.

/// How the limit is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Bytes are bounded as they come, whoever starts.
    #[default]
    Shape,
    /// What is predicted to fit starts (Diligenti et al. 2004). No byte is bounded.
    Predict,
    /// One fetcher more or fewer, by what was measured (Shkapenyuk and Suel 2002). The same.
    Feedback,
}
