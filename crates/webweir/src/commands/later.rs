use anyhow::Result;

use crate::exit::{Exit, WrongUse};

/// What the contract promises for later versions.
const LATER: [&str; 1] = ["serve"];

pub fn run(words: &[String]) -> Result<Exit> {
    let word = words.first().map_or("", String::as_str);
    let why = if LATER.contains(&word) {
        format!("`weir {word}` is not available in this version; `weir --help` lists what is")
    } else {
        format!("there is no command `{word}`; `weir --help` lists the commands")
    };
    Err(WrongUse(why).into())
}
