//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

/// A file system in memory of 600 kB, as long as it lives.
pub struct SmallDisk<'a>(pub &'a Path);

impl<'a> SmallDisk<'a> {
    /// `None` where that is not allowed.
    pub fn mount(at: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=600k", "tmpfs"]).arg(at);
        match mount.output() {
            Ok(output) if output.status.success() => Some(SmallDisk(at)),
            _ => {
                eprintln!("SKIPPED: a small disk cannot be mounted here");
                None
            }
        }
    }

    pub fn mount_again(&self, option: &str) {
        let option = format!("remount,{option}");
        let status = Command::new("mount").args(["-o", &option]).arg(self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}
