use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.arg("allocate").args(words).timeout(Duration::from_secs(300));
    command
}

/// What it answers to JSON on standard input; it must end well.
pub fn answers(words: &[&str], input: &Value) -> Vec<Value> {
    let assert = command(words).write_stdin(input.to_string()).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

/// It refuses the input, and the message has all of these words.
pub fn refuses(words: &[&str], input: impl Into<Vec<u8>>, message: &[&str]) {
    let input = input.into();
    let assert = command(words).write_stdin(input.clone()).assert().code(2);
    let output = assert.get_output();
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    for word in message {
        let input = String::from_utf8_lossy(&input);
        assert!(said.contains(word), "no {word:?} in {said:?} for {input}");
    }
    assert!(output.stdout.is_empty());
}
