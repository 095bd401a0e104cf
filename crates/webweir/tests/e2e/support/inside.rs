use std::process::{Command, Output, Stdio};

use super::skip;

/// Runs `body` in a network of its own that reaches nothing.
///
/// The test calls itself again there. `test` is its full name, and the answer that it passed is
/// looked for, so that a wrong name is a failure and no success.
pub fn inside(test: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    if !unshare(["true"]).is_ok_and(|output| output.status.success()) {
        return skip(test, "needs the right to make a network namespace (unshare --user --net)");
    }
    let program = std::env::current_exe().unwrap();
    let words = [program.to_str().unwrap(), test, "--exact", "--nocapture", "--include-ignored"];
    let output = unshare(words).unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    print!("{told}");
    assert!(output.status.success() && told.contains("1 passed"), "{test} failed inside");
}

const INSIDE: &str = "WEIR_TEST_INSIDE";

fn unshare<'a>(words: impl IntoIterator<Item = &'a str>) -> std::io::Result<Output> {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--net", "--mount", "--"]).args(words);
    command.env(INSIDE, "yes").stdin(Stdio::null()).output()
}

/// Runs a program of the system, which must succeed.
pub fn run(program: &str, words: &[&str]) {
    let output = Command::new(program).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {}: {said}", words.join(" "));
}
