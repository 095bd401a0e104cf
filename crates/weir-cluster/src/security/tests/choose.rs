use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{keys, keys_of, long_ago, loopback};
use crate::security::{ClientSecurity, KeysError, ServerSecurity};

fn server_error(listen: &str, keys: Option<&Path>, plain: bool) -> String {
    let chosen = ServerSecurity::choose(listen.parse().unwrap(), keys, plain);
    chosen.err().expect("it was accepted").to_string()
}

fn client_error(url: &str, keys: Option<&Path>) -> String {
    ClientSecurity::choose(url, keys).err().expect("it was accepted").to_string()
}

fn has_all(told: &str, words: &[&str]) {
    for word in words {
        assert!(told.contains(word), "{word:?} is not in: {told}");
    }
}

#[test]
fn beyond_loopback_nothing_is_open() {
    let dir = keys();
    let addresses = ["0.0.0.0:7070", "[::]:7070", "10.0.0.5:7070", "[::ffff:10.0.0.5]:7070"];
    for listen in addresses {
        for (keys, plain) in [(None, false), (None, true), (Some(dir.path()), true)] {
            let told = server_error(listen, keys, plain);
            has_all(&told, &[listen, "weir cluster init --keys DIR", "start with --keys DIR"]);
        }
        let chosen = ServerSecurity::choose(listen.parse().unwrap(), Some(dir.path()), false);
        assert!(chosen.unwrap().is_encrypted());
    }
}

#[test]
fn all_of_loopback_may_be_open() {
    for listen in ["127.0.0.1:0", "127.9.9.9:0", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
        let chosen = ServerSecurity::choose(listen.parse().unwrap(), None, false);
        assert!(!chosen.unwrap().is_encrypted());
    }
}

#[test]
fn a_downloader_calls_plainly_only_its_own_machine() {
    let dir = keys();
    for url in ["http://localhost:7070", "http://127.8.8.8:7070/", "http://[::1]:7070"] {
        ClientSecurity::choose(url, None).map(drop).unwrap();
    }
    for url in ["http://10.0.0.5:7070", "http://localhost.example:7070", "http://[2001:db8::1]:1"] {
        for keys in [None, Some(dir.path())] {
            has_all(&client_error(url, keys), &[url, "https://", "--keys DIR"]);
        }
    }
}

#[test]
fn https_needs_keys() {
    let url = "https://scheduler.example:7700";
    has_all(&client_error(url, None), &[url, "needs keys", "--keys DIR"]);
    let dir = keys();
    for url in [url, "https://[2001:db8::1]:7070", "https://10.0.0.5:7070/"] {
        ClientSecurity::choose(url, Some(dir.path())).map(drop).unwrap();
    }
}

#[test]
fn what_is_no_address_is_refused_with_an_example() {
    let check = |url, why| has_all(&client_error(url, None), &[why, "https://scheduler.example:7"]);
    check("", "no URL");
    check("host", "https:// or http://");
    check("host:7070", "https:// or http://");
    check("ftp://host:7070", "https:// or http://");
    check("https://host", "no port");
    check("https://host:99999", "no port");
    check("https://:7070", "no host");
    check("https://a@host:7070", "names a user");
    check("https://host:7070/path", "a path");
    check("https://ho st:7070", "no URL");
    check("https://-host-:7070", "no host name");
}

#[test]
fn missing_files_are_named() {
    let dir = keys();
    for name in ["scheduler.key", "scheduler.pem", "ca.pem", "token"] {
        fs::remove_file(dir.path().join(name)).unwrap();
        let told = server_error("127.0.0.1:0", Some(dir.path()), false);
        has_all(&told, &[&format!("{name} is missing"), "weir cluster init"]);
    }
}

#[test]
fn a_secret_that_others_may_read_is_refused() {
    for name in ["scheduler.key", "token"] {
        for mode in [0o640, 0o604, 0o610] {
            let dir = keys();
            let path = dir.path().join(name);
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let told = server_error("127.0.0.1:0", Some(dir.path()), false);
            let remedy = format!("chmod 600 {}", path.display());
            has_all(&told, &[&remedy, &format!("mode {mode:o}")]);
        }
    }
}

#[test]
fn an_expired_certificate_is_refused() {
    let dir = keys_of(long_ago());
    let told = server_error("127.0.0.1:0", Some(dir.path()), false);
    has_all(&told, &["scheduler.pem", "it expired on 2", "weir cluster init", "--force"]);
    let told = client_error("https://localhost:7070", Some(dir.path()));
    has_all(&told, &["downloader.pem", "it expired on 2", "weir cluster init", "--force"]);
}

#[test]
fn a_certificate_from_the_future_blames_the_clock() {
    let dir = keys();
    let chosen = ServerSecurity::choose_at(loopback(), Some(dir.path()), false, long_ago());
    assert!(matches!(chosen, Err(KeysError::Early { .. })));
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let check = |from: &str, to: &str, named: &str, why: &str| {
        let (dir, other) = (keys(), keys());
        // Written into, so that the mode stays as it was.
        fs::write(dir.path().join(to), fs::read(other.path().join(from)).unwrap()).unwrap();
        let told = server_error("127.0.0.1:0", Some(dir.path()), false);
        has_all(&told, &[named, why, "weir cluster init"]);
    };
    check("scheduler.key", "scheduler.key", "scheduler.key", "does not belong to scheduler.pem");
    check("scheduler.pem", "scheduler.pem", "scheduler.pem", "not signed by the ca.pem beside it");
    check("ca.pem", "ca.pem", "scheduler.pem", "not signed by the ca.pem beside it");
    check("ca.pem", "scheduler.key", "scheduler.key", "no private key");
    check("scheduler.key", "scheduler.pem", "scheduler.pem", "no certificate");
    check("ca.pem", "token", "token", "not a token of 64 hex digits");
}

#[test]
fn the_certificate_of_the_other_side_is_refused() {
    let dir = keys();
    for (from, to) in [("downloader.pem", "scheduler.pem"), ("downloader.key", "scheduler.key")] {
        fs::write(dir.path().join(to), fs::read(dir.path().join(from)).unwrap()).unwrap();
    }
    let told = server_error("127.0.0.1:0", Some(dir.path()), false);
    has_all(&told, &["scheduler.pem", "weir cluster init"]);
}

#[test]
fn every_cut_of_every_file_is_refused() {
    let dir = keys();
    for name in ["ca.pem", "scheduler.pem", "scheduler.key", "token"] {
        let path = dir.path().join(name);
        let whole = fs::read(&path).unwrap();
        // The last line ends in a newline that nobody misses.
        for length in (0..whole.len() - 1).step_by(7) {
            fs::write(&path, &whole[..length]).unwrap();
            server_error("127.0.0.1:0", Some(dir.path()), false);
        }
        fs::write(&path, &whole).unwrap();
    }
    ServerSecurity::choose(loopback(), Some(dir.path()), false).map(drop).unwrap();
}
