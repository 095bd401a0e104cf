use std::net::IpAddr;
use std::process::{Command, Output, Stdio};

use crate::support::skip;

/// Runs `body` in a network of its own that reaches nothing, where any address may be ours.
///
/// The test calls itself again there. `test` is its full name, and the answer that it passed is
/// looked for, so that a wrong name is a failure and no success.
pub fn inside(test: &str, addresses: &[IpAddr], body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        take(addresses);
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

/// Makes these addresses ours.
fn take(addresses: &[IpAddr]) {
    run("ip", &["link", "set", "lo", "up"]);
    for address in addresses.iter().filter(|address| !address.is_loopback()) {
        match address {
            IpAddr::V4(_) => run("ip", &["address", "add", &format!("{address}/32"), "dev", "lo"]),
            // Without `nodad` it could not be used before the link had been asked for doubles.
            IpAddr::V6(_) => {
                run("ip", &["address", "add", &format!("{address}/128"), "dev", "lo", "nodad"]);
            }
        }
    }
}

/// Puts a file in place of another, for this network's processes only.
pub fn replace(path: &str, text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    run("mount", &["--bind", file.path().to_str().unwrap(), path]);
    file
}

fn run(program: &str, words: &[&str]) {
    let output = Command::new(program).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {}: {said}", words.join(" "));
}
