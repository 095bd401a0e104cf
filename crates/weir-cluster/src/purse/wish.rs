use super::fair::Claim;

/// What a downloader could do with bandwidth, from its last pulse.
///
/// One that has nothing to do wishes `Wish::default()`, and keeps the floor: enough to begin with
/// before it is told more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// The sum of the weights of the sites it has work for, those it is still reading included.
    pub weight: f64,
    /// Bytes a second that it received lately.
    pub used: f64,
    /// Its grant is what holds it back: something waits for bandwidth.
    pub hungry: bool,
}

/// What is kept beyond what is used, to grow into before more is asked for.
const HEADROOM: f64 = 1.25;
/// Weights come from other machines. Within these, sums and quotients of them are sound.
const WEIGHTS: (f64, f64) = (1e-6, 1e9);

impl Wish {
    /// `owed` bytes may come at any moment, so that the room for them is nobody else's.
    pub(super) fn claim(&self, pot: f64, floor: f64, owed: f64) -> Claim {
        let used = if self.used.is_finite() { self.used.max(0.0) } else { 0.0 };
        let uses = if self.hungry { pot } else { used * HEADROOM + floor };
        let most = uses.max(owed + floor).min(pot);
        // `max` first: it turns what is not a number into the lowest weight.
        let weight = self.weight.max(WEIGHTS.0).min(WEIGHTS.1);
        Claim { weight, least: (owed + floor).min(most), most }
    }
}
