//! In which order a crawl with a focus asks: what a link promises is its score in the frontier,
//! which has it on disk.

use weir_frontier::Leased;

use super::Dispatch;

impl Dispatch {
    /// Without a focus all are alike, and go by depth. Where depth is limited each level is finished
    /// before the next, so that a URL is found at its least depth, and promises decide within one.
    pub(super) fn score(&self, depth: u32, promise: u8) -> f32 {
        match (self.config.content.focus, self.by_level) {
            (None, _) => 0.0,
            (Some(_), false) => fraction(promise),
            (Some(_), true) => fraction(promise) - depth as f32,
        }
    }

    /// What was expected of a URL when it was found.
    pub(super) fn promise(&self, leased: &Leased) -> u8 {
        let score = match self.by_level {
            true => leased.score + leased.depth as f32,
            false => leased.score,
        };
        match self.config.content.focus {
            Some(_) => (score.clamp(0.0, 1.0) * 256.0).min(255.0) as u8,
            None => 0,
        }
    }
}

/// In 0..1 and exact, also beside a depth.
fn fraction(promise: u8) -> f32 {
    f32::from(promise) / 256.0
}
