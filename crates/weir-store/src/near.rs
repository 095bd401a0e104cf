/// Pages by what their text looks like, to find one that is nearly the same as another.
///
/// Two hashes of 64 bits that differ in three bits at the most are equal in at least one of four
/// quarters: so each page is chained to the one before it that has the same quarter, for each
/// quarter, and only those chains are looked through.
#[derive(Default)]
pub(crate) struct Near {
    pages: Vec<Listed>,
    /// The last page with each value of each quarter; made with the first page.
    last: [Box<[u32]>; 4],
}

struct Listed {
    simhash: u64,
    place: u64,
    /// The page before this one with the same quarter.
    before: [u32; 4],
}

/// Bits in which pages that are nearly the same differ at the most.
const MOST_BITS: u32 = 3;
/// 32 bytes each. Pages that come when it is full are compared with those that are in it.
const MOST: usize = 1 << 19;
/// Pages of one site can share a quarter by the thousand, being alike but not nearly the same. Then
/// the newest of them are looked at, since looking through all would cost more than the page.
const LONGEST_WALK: usize = 64;
const NONE: u32 = u32::MAX;

impl Near {
    /// The place of the first page that is nearly the same.
    pub fn find(&self, simhash: u64) -> Option<u64> {
        let walks = (0..4).flat_map(|quarter| self.walk(quarter, simhash));
        let near = walks.filter(|page| (simhash ^ page.simhash).count_ones() <= MOST_BITS);
        near.map(|page| page.place).min()
    }

    pub fn remember(&mut self, simhash: u64, place: u64) {
        if self.pages.len() >= MOST {
            return;
        }
        if self.pages.is_empty() {
            self.last = std::array::from_fn(|_| vec![NONE; 1 << 16].into());
        }
        let this = self.pages.len() as u32;
        let before = std::array::from_fn(|quarter| {
            std::mem::replace(&mut self.last[quarter][value(quarter, simhash)], this)
        });
        self.pages.push(Listed { simhash, place, before });
    }

    /// The pages that share a quarter with `simhash`, the newest first.
    fn walk(&self, quarter: usize, simhash: u64) -> impl Iterator<Item = &Listed> {
        let last = self.last[quarter].get(value(quarter, simhash)).copied().unwrap_or(NONE);
        let page = |index: u32| self.pages.get(index as usize);
        let next = move |listed: &&Listed| page(listed.before[quarter]);
        std::iter::successors(page(last), next).take(LONGEST_WALK)
    }
}

fn value(quarter: usize, simhash: u64) -> usize {
    (simhash >> (16 * quarter)) as u16 as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_in_three_bits_is_found_and_nothing_else() {
        let mut near = Near::default();
        assert_eq!(near.find(0), None);
        let mut rng = fastrand::Rng::with_seed(7);
        let hashes: Vec<u64> = (0..2000).map(|_| rng.u64(..)).collect();
        for (place, hash) in hashes.iter().enumerate() {
            near.remember(*hash, place as u64);
        }
        for (place, hash) in hashes.iter().enumerate() {
            let bits: u64 = (0..3).fold(0, |bits, _| bits | 1 << rng.u32(0..64));
            assert_eq!(near.find(hash ^ bits), Some(place as u64));
            let far = hash ^ 0x0001_0001_0001_0001;
            assert_eq!(near.find(far), None);
        }
    }
}
