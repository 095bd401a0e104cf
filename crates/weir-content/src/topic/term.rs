use super::words::Words;

/// A word or a phrase, and how much it counts.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// The hashes of the words before the last.
    pub before: Vec<u64>,
    pub last: Last,
    pub weight: f32,
}

#[derive(Clone, Debug)]
pub(super) enum Last {
    Word(u64),
    /// `contamina*`: every word that begins so.
    Start(Box<str>),
}

/// Of a word that a star stands behind, at least so many letters are there.
const SHORTEST_START: usize = 2;
const LARGEST_WEIGHT: f32 = 1000.0;

impl Term {
    /// Reads `food safety`, `recall^2` or `contamina*`; says what is wrong and what to do.
    pub fn parse(written: &str) -> Result<Term, &'static str> {
        let (phrase, weight) = match written.rsplit_once('^') {
            Some((phrase, weight)) => (phrase, parse_weight(weight)?),
            None => (written, 1.0),
        };
        let (phrase, starred) = match phrase.trim_end().strip_suffix('*') {
            Some(start) => (start, true),
            None => (phrase, false),
        };
        if phrase.contains('*') {
            return Err("a star stands only at the end: \"contamina*\"");
        }
        if starred && phrase.ends_with(|c: char| !c.is_alphanumeric()) {
            return Err("a star stands right behind the beginning of a word: \"contamina*\"");
        }
        Term::of(&Words::of("", phrase), starred, weight)
    }

    fn of(words: &Words, starred: bool, weight: f32) -> Result<Term, &'static str> {
        let Some(last) = words.len().checked_sub(1) else {
            return Err("it has no word in it: write one, or remove it");
        };
        if starred && words.word(last).chars().count() < SHORTEST_START {
            return Err("it would find nearly every text: write more letters before the star");
        }
        let before = words.hashes().take(last).collect();
        let last = match starred {
            true => Last::Start(words.word(last).into()),
            false => Last::Word(words.hash(last)),
        };
        Ok(Term { before, last, weight })
    }
}

fn parse_weight(written: &str) -> Result<f32, &'static str> {
    let weight = written.trim().parse::<f32>().ok();
    weight
        .filter(|weight| *weight > 0.0 && *weight <= LARGEST_WEIGHT)
        .ok_or("its weight is no number above 0 and up to 1000: write for example \"recall^2\"")
}
