//! Which downloaders are meant to be written off.

use weir_crawl::{ConfigError, Settings};

use super::member::Member;

/// A shorter beginning of an id is more likely a slip.
const LEAST_ID: usize = 4;
/// As much of an id as is shown.
pub const SHOWN_ID: usize = 8;

/// The words for them. A crawl that begins anew has none.
pub fn of(settings: Settings) -> Result<Vec<String>, ConfigError> {
    let words = settings.write_off.unwrap_or_default();
    match words.first() {
        Some(word) if settings.fresh == Some(true) => Err(refused(
            word,
            "with `fresh` there is nothing of it left; leave one of the two out".to_owned(),
        )),
        _ => Ok(words),
    }
}

/// Finds each by its name, or by the beginning of its id where names are not enough. One of several of the same name
/// that is written off already is the one that was meant: the command is given once more, and another machine
/// may have come in its place.
pub fn find(words: &[String], members: &[Member]) -> Result<Vec<usize>, ConfigError> {
    words.iter().map(|word| find_one(word, members)).collect()
}

fn find_one(word: &str, members: &[Member]) -> Result<usize, ConfigError> {
    let named = places(members, |member| member.name == word);
    let by_id = || places(members, |member| member.shown_id().starts_with(word));
    let found = match named.is_empty() && word.len() >= LEAST_ID {
        true => by_id(),
        false => named,
    };
    let already = found.iter().find(|at| members[**at].written_off);
    match (already, found.as_slice()) {
        (Some(at), _) | (None, [at]) => Ok(*at),
        (None, []) if members.is_empty() => {
            Err(refused(word, "this crawl has had no downloaders; leave it out".to_owned()))
        }
        (None, []) => {
            let all: Vec<usize> = (0..members.len()).collect();
            let there = listed(&all, members);
            Err(refused(word, format!("there is no such downloader; there are {there}")))
        }
        (None, several) => {
            let there = listed(several, members);
            Err(refused(word, format!("there are several, {there}: write the id of the lost one")))
        }
    }
}

fn places(members: &[Member], wanted: impl Fn(&Member) -> bool) -> Vec<usize> {
    (0..members.len()).filter(|at| wanted(&members[*at])).collect()
}

fn listed(which: &[usize], members: &[Member]) -> String {
    let shown = |at: &usize| {
        let member = &members[*at];
        let id = &member.shown_id()[..SHOWN_ID];
        let gone = if member.written_off { ", written off" } else { "" };
        format!("{} ({id}{gone})", member.name)
    };
    let all: Vec<String> = which.iter().map(shown).collect();
    all.join(", ")
}

fn refused(word: &str, remedy: String) -> ConfigError {
    ConfigError::Value { key: "write-off", value: word.to_owned(), remedy }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::wire::Hello;

    fn member(name: &str, id: u8, written_off: bool) -> Member {
        let hello = Hello { name: name.to_owned(), ..Hello::default() };
        let mut member = Member::new(&hello, [id; 16], Instant::now());
        member.written_off = written_off;
        member
    }

    fn check(members: &[Member], word: &str, expected: Result<usize, &[&str]>) {
        match (find(&[word.to_owned()], members), expected) {
            (Ok(found), Ok(at)) => assert_eq!(found, [at], "{word}"),
            (Err(why), Err(words)) => {
                let why = why.to_string();
                assert!(words.iter().all(|word| why.contains(word)), "{word}: {why}");
            }
            (found, _) => panic!("{word}: {found:?}"),
        }
    }

    #[test]
    fn a_downloader_is_found_by_its_name_or_by_the_beginning_of_its_id() {
        let members = [member("one", 0x1a, false), member("two", 0x2b, false)];
        check(&members, "two", Ok(1));
        check(&members, "1a1a", Ok(0));
        check(&members, "1a", Err(&["write-off = 1a", "one (1a1a1a1a), two (2b2b2b2b)"]));
        check(&members, "three", Err(&["no such downloader", "one", "two"]));
        check(&[], "one", Err(&["had no downloaders"]));
    }

    #[test]
    fn of_several_of_one_name_the_id_is_asked_for_unless_one_is_written_off_already() {
        let mut members = [member("one", 0x1a, false), member("one", 0x2b, false)];
        check(&members, "one", Err(&["several", "1a1a1a1a", "2b2b2b2b", "write the id"]));
        check(&members, "2b2b2b2b", Ok(1));
        members[0].written_off = true;
        check(&members, "one", Ok(0));
        check(&members, "2b2b", Ok(1));
    }
}
