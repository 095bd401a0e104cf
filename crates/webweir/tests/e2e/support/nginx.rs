use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::wait_until;

/// An nginx of our own that serves one folder on a loopback address until it is dropped.
pub struct Nginx {
    child: Child,
    /// `127.0.0.1:port`
    pub host: String,
    folder: TempDir,
}

pub fn find_nginx() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders.map(|folder| folder.join("nginx")).find(|program| program.is_file())
}

impl Nginx {
    pub fn serve(program: &Path, root: &Path) -> Nginx {
        (0..PORT_TRIES)
            .find_map(|_| Nginx::try_serve(program, root))
            .expect("nginx starts on one of several free ports")
    }

    /// `None` if it ended at once, as when another took the port in between.
    fn try_serve(program: &Path, root: &Path) -> Option<Nginx> {
        let folder = TempDir::new().unwrap();
        let host = free_address();
        let config = folder.path().join("nginx.conf");
        fs::write(&config, configuration(folder.path(), root, &host)).unwrap();
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path()).arg("-c").arg(&config);
        command.arg("-e").arg(folder.path().join("error.log"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut ended = false;
        wait_until("nginx to listen", || {
            ended = child.try_wait().unwrap().is_some();
            ended || TcpStream::connect(&host).is_ok()
        });
        (!ended).then_some(Nginx { child, host, folder })
    }

    /// Path and query of every request answered so far, in order.
    pub fn requests(&self) -> Vec<String> {
        let log = fs::read_to_string(self.folder.path().join("access.log")).unwrap();
        log.lines().map(String::from).collect()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It has no children: the process we started is the whole server.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PORT_TRIES: usize = 5;

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// The defaults are what we want: 301 to add the slash, index.html for a folder, 403 without one.
fn configuration(folder: &Path, root: &Path, host: &str) -> String {
    let (folder, root) = (folder.display(), root.display());
    format!(
        "daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{ worker_connections 512; }}
http {{
  types {{ text/html html htm; text/css css; text/plain txt; image/png png; image/svg+xml svg; }}
  default_type application/octet-stream;
  log_format request '$request_uri';
  access_log {folder}/access.log request;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  merge_slashes off;
  keepalive_requests 1000000;
  server {{ listen {host}; root \"{root}\"; index index.html; }}
}}
"
    )
}
