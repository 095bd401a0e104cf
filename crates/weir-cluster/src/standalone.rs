//! A scheduler and its downloaders on one machine, each a process of its own: for trying out what runs
//! on several.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::ClusterError;

/// The downloaders of one crawl. One that ends by itself is started again.
pub struct Downloaders {
    ending: Arc<AtomicBool>,
    keepers: Vec<JoinHandle<()>>,
    folder: PathBuf,
}

pub struct Crew<'a> {
    /// The command itself.
    pub weir: &'a Path,
    pub scheduler: &'a str,
    /// The crawl's folder.
    pub out: &'a Path,
    pub count: usize,
    pub slots: usize,
}

/// Below the crawl's folder.
pub const FOLDER: &str = "downloaders";
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Before one that has failed is started once more.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the end waits for files to be closed.
const END_WITHIN: Duration = Duration::from_secs(30);

/// Removes what downloaders of an earlier crawl have left.
pub fn clear(out: &Path) -> Result<(), ClusterError> {
    let path = out.join(FOLDER);
    match std::fs::remove_dir_all(&path) {
        Err(why) if why.kind() != ErrorKind::NotFound => {
            Err(ClusterError::Io { what: "clear", path, why })
        }
        _ => Ok(()),
    }
}

impl Downloaders {
    pub fn start(crew: &Crew<'_>) -> Result<Downloaders, ClusterError> {
        let ending = Arc::new(AtomicBool::new(false));
        let mut downloaders = Downloaders {
            ending: ending.clone(),
            keepers: Vec::new(),
            folder: crew.out.join(FOLDER),
        };
        for number in 1..=crew.count {
            let folder = crew.out.join(FOLDER).join(number.to_string());
            let cannot = |why| ClusterError::Io { what: "make", path: folder.clone(), why };
            std::fs::create_dir_all(&folder).map_err(cannot)?;
            let call = Call {
                weir: crew.weir.to_owned(),
                scheduler: crew.scheduler.to_owned(),
                slots: crew.slots,
                number,
                folder,
            };
            let child = call.start()?;
            let ending = ending.clone();
            let keeper = std::thread::spawn(move || keep(&call, child, &ending));
            downloaders.keepers.push(keeper);
        }
        Ok(downloaders)
    }

    /// The scheduler has said good-bye to them: waits until their files are closed.
    pub fn end(self) -> Vec<PathBuf> {
        self.ending.store(true, Ordering::Release);
        for keeper in self.keepers {
            // One that panicked has no child to wait for.
            let _ = keeper.join();
        }
        // Those of earlier runs with more of them, too.
        let all = self.folder.read_dir().into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> =
            all.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    }
}

struct Call {
    weir: PathBuf,
    scheduler: String,
    slots: usize,
    number: usize,
    folder: PathBuf,
}

impl Call {
    /// Ctrl-C is for the scheduler, which tells them; if it is killed, their standard input ends.
    fn start(&self) -> Result<Child, ClusterError> {
        let path = self.folder.join("log.txt");
        let cannot = |why| ClusterError::Io { what: "write", path: path.clone(), why };
        let log = File::options().create(true).append(true).open(&path).map_err(cannot)?;
        Command::new(&self.weir)
            .args(["downloader", "--with-parent", "--scheduler", &self.scheduler])
            .args(["--slots", &self.slots.to_string(), "--name", &self.number.to_string()])
            .arg("--out")
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .process_group(0)
            .spawn()
            .map_err(|why| ClusterError::Io { what: "start", path: self.weir.clone(), why })
    }
}

fn keep(call: &Call, mut child: Child, ending: &AtomicBool) {
    let mut end_by = None;
    loop {
        let is_ending = ending.load(Ordering::Acquire);
        let has_ended = child.try_wait().ok().flatten().is_some();
        if is_ending && has_ended {
            return;
        }
        if is_ending && end_by.is_none() {
            end_by = Some(Instant::now() + END_WITHIN);
            // One that was not yet connected has not been told; one that has ended is no error.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        if end_by.is_some_and(|end_by| end_by < Instant::now()) {
            // It has not closed its files in time; the next run finds what it has.
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        if has_ended && !is_ending {
            std::thread::sleep(PAUSE);
            if !ending.load(Ordering::Acquire)
                && let Ok(again) = call.start()
            {
                child = again;
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
