use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::support::{skip, wait_until};

/// A PostgreSQL server of our own on a loopback port, in a folder of its own, until it is dropped.
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    owner: Option<Owner>,
    port: u16,
    child: Option<Child>,
}

/// The server refuses to run as root.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

pub const USER: &str = "weir";
pub const PASSWORD: &str = "not-for-eyes";

impl Server {
    /// A new one that runs. Says so if there can be none.
    pub fn start(suite: &str) -> Option<Server> {
        let Some(programs) = programs() else {
            skip(suite, "no PostgreSQL, and apt-get as root could not install it");
            return None;
        };
        let owner = match is_root() {
            true => match Owner::find() {
                None => {
                    skip(
                        suite,
                        "PostgreSQL refuses to run as root, and there is neither postgres nor nobody",
                    );
                    return None;
                }
                found => found,
            },
            false => None,
        };
        let folder = TempDir::new().unwrap();
        if let Some(owner) = owner {
            chown(folder.path(), Some(owner.user), Some(owner.group)).unwrap();
        }
        let mut server = Server { programs, folder, owner, port: 0, child: None };
        server.make();
        server.up();
        Some(server)
    }

    /// As a user writes it, password and all.
    pub fn address(&self) -> String {
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/postgres", self.port)
    }

    /// The same, as another user.
    pub fn address_of(&self, user: &str) -> String {
        self.address().replace(USER, user)
    }

    /// SIGKILL to the server and all its helpers, which are a group of their own.
    pub fn kill(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let group = format!("-{}", child.id());
        // One that is gone already is no error.
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = child.wait();
    }

    /// Starts it, again if need be, on the same port.
    pub fn up(&mut self) {
        if self.port == 0 {
            self.port = free_port();
        }
        self.spawn();
        wait_until("PostgreSQL to answer", || {
            // It ends at once as long as a helper of the one that was killed is still about to end.
            if self.has_ended() {
                self.spawn();
            }
            self.try_ask("SELECT 1").is_ok()
        });
    }

    fn has_ended(&mut self) -> bool {
        self.child.as_mut().is_none_or(|child| child.try_wait().unwrap().is_some())
    }

    fn spawn(&mut self) {
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.process_group(0).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    /// Starts it, and then asks for a number at once.
    pub fn up_and_count(&mut self, sql: &str) -> u64 {
        self.up();
        self.count(sql)
    }

    /// What a statement answers: a line for each row, columns with a tab between.
    pub fn ask(&self, sql: &str) -> Vec<String> {
        self.try_ask(sql).unwrap_or_else(|why| panic!("{sql}: {why}"))
    }

    fn try_ask(&self, sql: &str) -> Result<Vec<String>, String> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-A", "-t", "-q", "-F", "\t", "-h", "127.0.0.1", "-U", USER]);
        psql.args(["-p", &self.port.to_string(), "-d", "postgres", "-c", sql]);
        psql.env("PGPASSWORD", PASSWORD).stdin(Stdio::null());
        let output = psql.output().unwrap();
        match output.status.success() {
            true => {
                Ok(String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect())
            }
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// The one number that a statement answers; 0 where the table is not there yet.
    pub fn count(&self, sql: &str) -> u64 {
        self.try_ask(sql).map_or(0, |lines| lines.first().map_or(0, |line| line.parse().unwrap()))
    }

    fn make(&self) {
        let secret = self.folder.path().join("password");
        fs::write(&secret, PASSWORD).unwrap();
        if let Some(owner) = self.owner {
            chown(&secret, Some(owner.user), Some(owner.group)).unwrap();
        }
        let mut initdb = self.command("initdb");
        initdb.arg("-D").arg(self.data()).arg("--pwfile").arg(&secret);
        initdb.args(["-U", USER, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"]);
        let output = initdb.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.stdin(Stdio::null()).current_dir(self.folder.path());
        if let Some(owner) = self.owner {
            command.uid(owner.user).gid(owner.group);
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Killing a process loses nothing that the system has, so there is no need to wait for the disk.
const SETTINGS: [&str; 4] =
    ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=20"];

impl Owner {
    fn find() -> Option<Owner> {
        let ask = |flag, name| {
            let output = Command::new("id").args([flag, name]).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse().ok()
        };
        let of = |name| Some(Owner { user: ask("-u", name)?, group: ask("-g", name)? });
        of("postgres").or_else(|| of("nobody"))
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Where the server's programs are, which are installed if they can be: once, however many tests ask.
fn programs() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            find_programs().or_else(|| {
                install();
                find_programs()
            })
        })
        .clone()
}

fn install() {
    if !is_root() {
        return;
    }
    let apt = |words: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        apt.stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|it| it.success())
    };
    let install = ["install", "-y", "-q", "--no-install-recommends", "postgresql"];
    // Lists are fetched only if the package is unknown; what fails is seen by who looks for it next.
    let _ = apt(&install) || (apt(&["update", "-q"]) && apt(&install));
}

/// Debian keeps them out of the way, a folder for each version.
fn find_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.sort();
    found.extend(std::env::split_paths(&path));
    let has = |folder: &Path, program: &str| folder.join(program).is_file();
    found
        .into_iter()
        .rfind(|folder| ["initdb", "postgres", "psql"].iter().all(|it| has(folder, it)))
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
