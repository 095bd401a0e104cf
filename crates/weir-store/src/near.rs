use std::collections::HashMap;

/// Pages by what their text looks like, to find one that is nearly the same as another.
///
/// Two hashes of 64 bits that differ in three bits at the most are equal in at least one of four
/// quarters: so each page is listed under its quarters, and only those lists are looked through.
#[derive(Default)]
pub(crate) struct Near {
    pages: Vec<(u64, u64)>,
    quarters: [HashMap<u16, Vec<u32>>; 4],
}

/// Bits in which pages that are nearly the same differ at the most.
const MOST_BITS: u32 = 3;
/// 32 bytes each. Pages that come when it is full are compared with those that are in it.
const MOST: usize = 1 << 19;
/// A quarter that very many pages share tells nothing, and looking through them would cost.
const LONGEST_LIST: usize = 512;

impl Near {
    /// The place of the first page that is nearly the same.
    pub fn find(&self, simhash: u64) -> Option<u64> {
        let lists = quarters(simhash).zip(&self.quarters);
        let listed = lists.filter_map(|(quarter, lists)| lists.get(&quarter)).flatten();
        let near = listed.filter_map(|index| {
            let (other, place) = self.pages[*index as usize];
            ((simhash ^ other).count_ones() <= MOST_BITS).then_some(place)
        });
        near.min()
    }

    pub fn remember(&mut self, simhash: u64, place: u64) {
        if self.pages.len() >= MOST {
            return;
        }
        let index = self.pages.len() as u32;
        for (quarter, lists) in quarters(simhash).zip(&mut self.quarters) {
            let list = lists.entry(quarter).or_default();
            if list.len() < LONGEST_LIST {
                list.push(index);
            }
        }
        self.pages.push((simhash, place));
    }
}

fn quarters(simhash: u64) -> impl Iterator<Item = u16> {
    (0..4).map(move |quarter| (simhash >> (16 * quarter)) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_in_three_bits_is_found_and_nothing_else() {
        let mut near = Near::default();
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
