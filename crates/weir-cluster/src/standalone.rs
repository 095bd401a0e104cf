//! A scheduler and its downloaders on one machine, each a process of its own: for trying out what runs
//! on several.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use weir_crawl::{Outlets, Stop};

use crate::ClusterError;

/// The downloaders of one crawl. One that ends by itself is started again.
pub struct Downloaders {
    ending: Arc<AtomicBool>,
    keepers: Vec<JoinHandle<Ended>>,
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
    /// Where all of them hand their pages on to.
    pub outlets: &'a Outlets,
    /// Stops the crawl.
    pub stop: watch::Sender<Stop>,
}

/// What downloaders have left.
pub struct Gone {
    /// Of all that there ever were.
    pub folders: Vec<PathBuf>,
    /// Those who have not handed over everything.
    pub behind: Vec<PathBuf>,
    /// Why none of them can ever work.
    pub refused: Option<String>,
}

enum Ended {
    Done,
    Behind(PathBuf),
    Refused(String),
}

/// Below the crawl's folder.
pub const FOLDER: &str = "downloaders";
/// What a downloader says, in its folder.
pub const LOG: &str = "log.txt";
/// Where a downloader finds what it is not told by the scheduler. Command lines can be read by
/// everybody on the machine, this only by who may read the downloader's memory, too.
const OUTLETS: &str = "WEIR_OUTLETS";
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Before one that has failed is started once more.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the end waits for files to be closed.
const END_WITHIN: Duration = Duration::from_secs(30);
/// Exit codes: wrong use, and something is left to do.
const REFUSED: i32 = 2;
const BEHIND: i32 = 4;

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

/// For a downloader: what whoever started it has told it.
pub fn outlets() -> Result<Outlets, ClusterError> {
    let Ok(text) = std::env::var(OUTLETS) else { return Ok(Outlets::default()) };
    serde_json::from_str(&text).map_err(|_| ClusterError::Io {
        what: "read",
        path: OUTLETS.into(),
        why: std::io::Error::other("it is no list of outlets"),
    })
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
                outlets: crew.outlets.clone(),
            };
            let child = call.start()?;
            let keeper = Keeper { call, ending: ending.clone(), stop: crew.stop.clone() };
            downloaders.keepers.push(std::thread::spawn(move || keeper.keep(child)));
        }
        Ok(downloaders)
    }

    /// The scheduler has said good-bye to them: waits until their files are closed, and sinks have
    /// what is in them or take nothing more.
    pub fn end(self) -> Gone {
        self.ending.store(true, Ordering::Release);
        let mut gone = Gone { folders: Vec::new(), behind: Vec::new(), refused: None };
        for keeper in self.keepers {
            // One that panicked has no child to wait for.
            match keeper.join() {
                Ok(Ended::Behind(folder)) => gone.behind.push(folder),
                Ok(Ended::Refused(why)) => gone.refused = Some(why),
                Ok(Ended::Done) | Err(_) => {}
            }
        }
        // Those of earlier runs with more of them, too.
        let all = self.folder.read_dir().into_iter().flatten().flatten();
        gone.folders = all.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        gone.folders.sort();
        gone
    }
}

struct Call {
    weir: PathBuf,
    scheduler: String,
    slots: usize,
    number: usize,
    folder: PathBuf,
    outlets: Outlets,
}

impl Call {
    /// Ctrl-C is for the scheduler, which tells them; if it is killed, their standard input ends.
    fn start(&self) -> Result<Child, ClusterError> {
        let path = self.folder.join(LOG);
        let cannot = |why| ClusterError::Io { what: "write", path: path.clone(), why };
        let log = File::options().create(true).append(true).open(&path).map_err(cannot)?;
        let outlets = serde_json::to_string(&self.outlets).expect("texts always serialize");
        Command::new(&self.weir)
            .args(["downloader", "--with-parent", "--scheduler", &self.scheduler])
            .args(["--slots", &self.slots.to_string(), "--name", &self.number.to_string()])
            .arg("--out")
            .arg(&self.folder)
            .env(OUTLETS, outlets)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .process_group(0)
            .spawn()
            .map_err(|why| ClusterError::Io { what: "start", path: self.weir.clone(), why })
    }

    /// The last that it said.
    fn last_words(&self) -> String {
        let log = std::fs::read(self.folder.join(LOG)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        let last = log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    }
}

/// Looks after one downloader.
struct Keeper {
    call: Call,
    ending: Arc<AtomicBool>,
    stop: watch::Sender<Stop>,
}

impl Keeper {
    fn keep(&self, mut child: Child) -> Ended {
        loop {
            let ended = child.try_wait().ok().flatten();
            match ended.and_then(|status| status.code()) {
                // Another start would not mend it.
                Some(REFUSED) => {
                    self.stop.send_replace(Stop::Now);
                    return Ended::Refused(self.call.last_words());
                }
                _ if self.ending.load(Ordering::Acquire) => return self.end(child),
                _ if ended.is_some() => {
                    std::thread::sleep(PAUSE);
                    if !self.ending.load(Ordering::Acquire)
                        && let Ok(again) = self.call.start()
                    {
                        child = again;
                    }
                }
                _ => std::thread::sleep(LOOK_EVERY),
            }
        }
    }

    fn end(&self, mut child: Child) -> Ended {
        let mut input = child.stdin.take();
        if let Some(input) = &mut input {
            // One that was not yet connected has not been told; one that has ended is no error.
            let _ = input.write_all(b"\n");
        }
        // Sinks take as long as they take something.
        let mut end_by = self.call.outlets.is_empty().then(|| Instant::now() + END_WITHIN);
        loop {
            if let Some(status) = child.try_wait().ok().flatten() {
                return self.ended(status.code() == Some(BEHIND));
            }
            if end_by.is_none() && *self.stop.borrow() == Stop::Now {
                drop(input.take());
                end_by = Some(Instant::now() + END_WITHIN);
            }
            if end_by.is_some_and(|end_by| end_by < Instant::now()) {
                // It has not closed its files in time; the next run finds what it has.
                let _ = child.kill();
                let _ = child.wait();
                return self.ended(true);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Who waits for the scheduler's word is known to that; here only sinks count.
    fn ended(&self, is_behind: bool) -> Ended {
        match is_behind && !self.call.outlets.is_empty() {
            true => Ended::Behind(self.call.folder.clone()),
            false => Ended::Done,
        }
    }
}
