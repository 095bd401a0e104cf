//! A place in a text, moved over what is expected there.

#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, at: usize) -> Cursor<'a> {
        Cursor { text, at }
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// A number of `least` to `most` digits that no further digit follows.
    pub fn number(&mut self, least: usize, most: usize) -> Option<i32> {
        let digits = self.rest().bytes().take(most + 1).take_while(u8::is_ascii_digit).count();
        if digits < least || digits > most {
            return None;
        }
        let value = self.rest()[..digits].parse().ok()?;
        self.at += digits;
        Some(value)
    }

    /// Goes over one of these, if it is there.
    pub fn one_of(&mut self, wanted: &[char]) -> Option<char> {
        let next = self.peek().filter(|next| wanted.contains(next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Goes over all of these, at most `most`; how many there were.
    pub fn skip(&mut self, most: usize, wanted: impl Fn(char) -> bool) -> usize {
        let mut count = 0;
        while count < most
            && let Some(next) = self.peek().filter(|next| wanted(*next))
        {
            self.at += next.len_utf8();
            count += 1;
        }
        count
    }

    pub fn spaces(&mut self) -> usize {
        self.skip(8, char::is_whitespace)
    }

    /// Goes over one of these words if it is there and whole, in any case.
    pub fn word_of(&mut self, words: &[&str]) -> bool {
        let mut behind = *self;
        let word = behind.word();
        let found = !word.is_empty() && words.iter().any(|one| same(one, word));
        if found {
            *self = behind;
        }
        found
    }

    /// The letters here; at most twenty, for no word we know is longer.
    pub fn word(&mut self) -> &'a str {
        let from = self.at;
        self.skip(20, char::is_alphabetic);
        &self.text[from..self.at]
    }

    /// The word that ends here.
    pub fn word_before(&self) -> &'a str {
        let before = self.text.get(..self.at).unwrap_or("");
        let letters = before.chars().rev().take(20).take_while(|c| c.is_alphabetic());
        &before[before.len() - letters.map(char::len_utf8).sum::<usize>()..]
    }
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || one == other.to_lowercase()
}
