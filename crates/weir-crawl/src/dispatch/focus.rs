//! In which order a crawl with a focus asks: what a link promises is its score in the frontier,
//! which has it on disk.

use weir_frontier::Leased;

use super::Dispatch;

impl Dispatch {
    /// Without a focus all are alike, and go by depth. Where depth is limited each level is finished
    /// before the next, so that most URLs are found at their least depth, and promises decide within one.
    pub(super) fn score(&self, depth: u32, promise: u8) -> f32 {
        match (self.config.content.focus, self.by_level) {
            (None, _) => 0.0,
            (Some(_), false) => fraction(promise),
            (Some(_), true) => fraction(promise) - depth as f32,
        }
    }

    /// What was expected of a URL when it was found.
    pub(super) fn promise(&self, leased: &Leased) -> u8 {
        match self.config.content.focus {
            Some(_) => expected(leased.score, self.by_level),
            None => 0,
        }
    }
}

/// In 0..1 and exact, also beside a depth.
fn fraction(promise: u8) -> f32 {
    f32::from(promise) / 256.0
}

/// The depth in a score is the one that the URL was found with; it may have come nearer since.
fn expected(score: f32, by_level: bool) -> u8 {
    let fraction = if by_level { score.rem_euclid(1.0) } else { score };
    (fraction.clamp(0.0, 1.0) * 256.0).min(255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_read_off_a_score_whatever_the_depth_was() {
        for promise in 0..=u8::MAX {
            assert_eq!(expected(fraction(promise), false), promise);
            for depth in [0.0, 1.0, 7.0, 300.0] {
                assert_eq!(expected(fraction(promise) - depth, true), promise);
            }
        }
    }
}
