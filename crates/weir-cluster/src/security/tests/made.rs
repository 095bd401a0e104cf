use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::SystemTime;

use super::{DAY, make};
use crate::security::{
    ClientSecurity, InitOptions, KeysError, ServerSecurity, add_downloader, init,
};

/// A folder as `chmod 700` leaves it, which may have files already.
fn private() -> tempfile::TempDir {
    let closed = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().permissions(closed).tempdir().unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn again(dir: &Path, force: bool, keep_ca_key: bool) -> Result<(), KeysError> {
    init(dir, &[], InitOptions { force, keep_ca_key }, SystemTime::now()).map(drop)
}

fn works(dir: &Path) {
    let beyond = "0.0.0.0:0".parse().unwrap();
    ServerSecurity::choose(beyond, Some(dir), false).map(drop).unwrap();
    ClientSecurity::choose("https://localhost:7070", Some(dir)).map(drop).unwrap();
}

#[test]
fn secrets_are_for_their_owner_alone() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("a/keys");
    let made = make(&dir, SystemTime::now());
    assert_eq!(mode(&dir), 0o700);
    for name in &made.files {
        let secret = name.ends_with(".key") || *name == "token";
        assert_eq!(mode(&dir.join(name)), if secret { 0o600 } else { 0o644 }, "{name}");
    }
    let mut there: Vec<_> =
        fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    let mut made = made.files;
    made.sort_unstable();
    assert_eq!(there, made);
    works(&dir);
}

#[test]
fn what_was_made_says_its_names_and_its_end() {
    let now = SystemTime::now();
    let dir = tempfile::tempdir().unwrap();
    let names = ["10.0.0.5", "LOCALHOST", "a.example"].map(str::to_owned);
    let made = init(dir.path(), &names, InitOptions::default(), now).unwrap();
    assert_eq!(made.names, ["10.0.0.5", "LOCALHOST", "a.example", "127.0.0.1", "::1"]);
    assert_eq!(made.until, now + DAY * 730);
    assert_eq!(made.authority_until, now + DAY * 3650);
    assert!(!made.files.contains(&"ca.key") && !dir.path().join("ca.key").exists());
}

#[test]
fn keys_last_two_years() {
    let now = SystemTime::now();
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), now);
    let check = |days: u32| {
        let listen = super::loopback();
        ServerSecurity::choose_at(listen, Some(dir.path()), false, now + DAY * days).is_ok()
    };
    assert!(check(0) && check(729));
    assert!(!check(731));
}

#[test]
fn nothing_is_overwritten_unless_forced() {
    for name in ["ca.pem", "ca.key", "scheduler.key", "downloader.pem", "token"] {
        let dir = private();
        fs::write(dir.path().join(name), "precious").unwrap();
        let told = again(dir.path(), false, false).unwrap_err().to_string();
        assert!(told.contains(name) && told.contains("--force"), "{told}");
        assert_eq!(fs::read(dir.path().join(name)).unwrap(), b"precious");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        again(dir.path(), true, false).unwrap();
        works(dir.path());
    }
}

#[test]
fn replaced_keys_leave_no_old_authority_behind() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), SystemTime::now());
    let token = fs::read(dir.path().join("token")).unwrap();
    again(dir.path(), true, false).unwrap();
    assert!(!dir.path().join("ca.key").exists());
    assert_ne!(fs::read(dir.path().join("token")).unwrap(), token);
    works(dir.path());
}

#[test]
fn what_a_crash_left_is_replaced() {
    let dir = private();
    let left = dir.path().join(".scheduler.key.new");
    fs::write(&left, "half a k").unwrap();
    fs::set_permissions(&left, fs::Permissions::from_mode(0o666)).unwrap();
    again(dir.path(), false, false).unwrap();
    assert!(!left.exists());
    works(dir.path());
}

#[test]
fn a_folder_that_is_in_use_and_open_to_others_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("other"), "").unwrap();
    let told = again(dir.path(), false, false).unwrap_err().to_string();
    assert!(told.contains(&format!("chmod 700 {}", dir.path().display())), "{told}");
    assert_eq!(mode(dir.path()), 0o755);
    fs::remove_file(dir.path().join("other")).unwrap();
    again(dir.path(), false, false).unwrap();
    assert_eq!(mode(dir.path()), 0o700);
}

#[test]
fn names_with_more_than_a_host_are_refused() {
    for name in ["", "host:7070", "https://host", "a b", "*.example", "host/..", "[::1]", "ä"] {
        let dir = tempfile::tempdir().unwrap();
        let made = init(dir.path(), &[name.to_owned()], InitOptions::default(), SystemTime::now());
        assert!(matches!(made, Err(KeysError::BadName { .. })), "{name:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn two_sets_share_nothing() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in make(one.path(), SystemTime::now()).files {
        assert!(!two.path().join(name).exists());
    }
    for name in make(two.path(), SystemTime::now()).files {
        let [a, b] = [&one, &two].map(|dir| fs::read(dir.path().join(name)).unwrap());
        assert_ne!(a, b, "{name}");
    }
}

#[test]
fn another_downloader_needs_the_kept_key() {
    let now = SystemTime::now();
    let dir = tempfile::tempdir().unwrap();
    again(dir.path(), false, false).unwrap();
    let added = add_downloader(dir.path(), "second", false, now);
    assert!(added.unwrap_err().to_string().contains("--keep-ca-key"));
    again(dir.path(), true, true).unwrap();
    let added = add_downloader(dir.path(), "second", false, now).unwrap();
    assert_eq!(added.files, ["ca.pem", "downloader.pem", "downloader.key", "token"]);
    ClientSecurity::choose("https://localhost:7070", Some(&added.dir)).map(drop).unwrap();
    let twice = add_downloader(dir.path(), "second", false, now);
    assert!(matches!(twice, Err(KeysError::Exists { .. })));
    for name in ["..", ".", "../up", "a/b", ""] {
        let added = add_downloader(dir.path(), name, false, now);
        assert!(matches!(added, Err(KeysError::BadName { .. })), "{name:?}");
    }
    assert!(add_downloader(dir.path(), "token", true, now).is_err());
}

#[test]
fn a_kept_key_of_another_authority_signs_nothing() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(dir.path(), SystemTime::now());
    make(other.path(), SystemTime::now());
    let foreign = fs::read(other.path().join("ca.key")).unwrap();
    fs::write(dir.path().join("ca.key"), foreign).unwrap();
    let added = add_downloader(dir.path(), "second", false, SystemTime::now());
    assert!(matches!(added, Err(KeysError::Unusable { .. })));
    assert!(!dir.path().join("second").exists());
}

#[test]
fn two_commands_do_not_make_keys_in_one_folder() {
    let dir = private();
    let held = fs::File::open(dir.path()).unwrap();
    held.lock().unwrap();
    let told = again(dir.path(), true, false).unwrap_err().to_string();
    assert!(told.contains("another command makes keys in it"), "{told}");
    drop(held);
    again(dir.path(), true, false).unwrap();
}
