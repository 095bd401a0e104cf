use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Names with numbers, from 0 in the order they came. There may be millions, so each is there once.
#[derive(Default)]
pub struct Names {
    /// One behind the other.
    texts: String,
    /// Where each ends.
    ends: Vec<u64>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Names {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &str {
        text(&self.texts, &self.ends, number)
    }

    /// The last one of those with this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(name);
        self.numbers.find(hash, |number| self.get(*number) == name).copied()
    }

    /// Gives a new number, also to a name that has one: a log may say so.
    pub fn push(&mut self, name: &str) -> u32 {
        let number = self.ends.len() as u32;
        self.texts.push_str(name);
        self.ends.push(self.texts.len() as u64);
        let Names { texts, ends, numbers, hasher } = self;
        let hash = hasher.hash_one(name);
        let rehash = |other: &u32| hasher.hash_one(text(texts, ends, *other));
        match numbers.entry(hash, |other| text(texts, ends, *other) == name, rehash) {
            Entry::Occupied(mut before) => *before.get_mut() = number,
            Entry::Vacant(free) => {
                free.insert(number);
            }
        }
        number
    }
}

fn text<'a>(texts: &'a str, ends: &[u64], number: u32) -> &'a str {
    let place = number as usize;
    let start = if place == 0 { 0 } else { ends[place - 1] };
    &texts[start as usize..ends[place] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found_under_its_last_number() {
        let mut names = Names::default();
        for number in 0..3000 {
            assert_eq!(names.find(&format!("h{number}")), None);
            assert_eq!(names.push(&format!("h{number}")), number);
        }
        assert_eq!(names.push("h7"), 3000);
        assert_eq!(
            (names.find("h7"), names.find("h8"), names.find("")),
            (Some(3000), Some(8), None)
        );
        assert_eq!((names.get(0), names.get(7), names.get(3000)), ("h0", "h7", "h7"));
        assert_eq!(names.len(), 3001);
    }
}
