use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A small disk in memory, gone when dropped.
pub struct Tmpfs {
    folder: TempDir,
}

impl Tmpfs {
    /// `None` where we may not mount.
    pub fn mount(bytes: u64) -> Option<Tmpfs> {
        let folder = TempDir::new().ok()?;
        let size = format!("size={bytes}");
        let good = mount(&["-t", "tmpfs", "-o", &size, "weir-test"], folder.path());
        good.then_some(Tmpfs { folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Bytes in use, as `df` counts them.
    pub fn used(&self) -> u64 {
        let df = Command::new("df").args(["-B1", "--output=used"]).arg(self.path()).output();
        let text = String::from_utf8(df.unwrap().stdout).unwrap();
        text.lines().nth(1).unwrap().trim().parse().unwrap()
    }

    pub fn resize(&self, bytes: u64) {
        let size = format!("remount,size={bytes}");
        assert!(mount(&["-o", &size], self.path()), "remount {}", self.path().display());
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let output = Command::new("mount").args(arguments).arg(folder).output();
    output.is_ok_and(|output| output.status.success())
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let output = Command::new("umount").arg("--lazy").arg(self.folder.path()).output();
        if !output.is_ok_and(|output| output.status.success()) {
            eprintln!("could not unmount {}", self.folder.path().display());
        }
    }
}
