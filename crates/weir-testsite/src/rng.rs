//! Numbers that look random and are always the same.

/// SplitMix64: eight bytes of state, so a generator can be made anew for each page.
pub(crate) struct Rng(u64);

impl Rng {
    /// The generator that belongs to these three numbers, mostly seed, host and page.
    pub(crate) fn of(seed: u64, host: usize, number: u32) -> Rng {
        let mut rng = Rng(seed ^ 0x77ee_17e5);
        rng.0 = rng.next() ^ host as u64;
        rng.0 = rng.next() ^ u64::from(number);
        rng
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end`, exclusive; 0 when `end` is 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }
}
