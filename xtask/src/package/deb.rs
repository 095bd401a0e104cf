use std::fs;
use std::path::{Path, PathBuf};

use super::{Result, cannot, empty, generated, must, only_file, trial};
use crate::needs::{apt_install, cache_folder};
use crate::shell::{Job, cargo, find_program, target_folder};

const CARGO_DEB: &str = "3.8.0";
const NAME: &str = "webweir";
const UNITS: [&str; 3] = ["weir", "weir-scheduler", "weir-downloader"];

/// What a user looks for, wherever the list of assets says that it comes from.
const FILES: &[&str] = &[
    "usr/bin/weir",
    "usr/share/man/man1/weir.1.gz",
    "usr/share/man/man1/weir-crawl.1.gz",
    "usr/share/bash-completion/completions/weir",
    "usr/share/zsh/vendor-completions/_weir",
    "usr/share/fish/vendor_completions.d/weir.fish",
    "usr/lib/systemd/system/weir.service",
    "usr/lib/systemd/system/weir-scheduler.service",
    "usr/lib/systemd/system/weir-downloader.service",
    "usr/lib/sysusers.d/webweir.conf",
    "etc/weir/weir.toml",
    "usr/share/doc/webweir/copyright",
    "usr/share/doc/webweir/changelog.gz",
    "usr/share/doc/webweir/changelog.Debian.gz",
    "usr/share/doc/webweir/README.md",
    "usr/share/doc/webweir/docs/operate.md",
    "usr/share/doc/webweir/docs/formats/warc.md",
    "usr/share/doc/webweir/examples/grafana.json",
];

pub fn make(folder: &Path) -> Result<PathBuf> {
    let cargo_deb = install()?;
    must(cargo(["build", "--release", "--locked", "--package", NAME]), "the build")?;
    generated::write(&built())?;
    let job = cargo_deb.args(["--package", NAME, "--no-build", "--locked", "--strip", "--output"]);
    must(job.args([folder]), "cargo-deb")?;
    only_file(folder, "deb")
}

fn built() -> PathBuf {
    target_folder().join("release/weir")
}

/// Of one version, so that the same sources give the same package.
fn install() -> Result<Job> {
    if find_program("dpkg-shlibdeps").is_none() && !apt_install("dpkg-dev") {
        return Err("there is no dpkg-shlibdeps: install dpkg-dev, on Debian or alike".into());
    }
    let root = cache_folder().ok_or("there is neither HOME nor XDG_CACHE_HOME")?.join("tools");
    let program = root.join("bin/cargo-deb");
    if trial::read(&program, &["--version"]) != Ok(format!("cargo-deb {CARGO_DEB}")) {
        let job = cargo(["install", "cargo-deb", "--locked", "--version", CARGO_DEB, "--root"]);
        let job = job.args([&root]).args(["--target-dir"]).args([target_folder().join("tools")]);
        must(job, "cargo install cargo-deb")?;
    }
    Ok(Job::new(program))
}

/// Unpacks it, and does with it what a user does.
pub fn try_out(deb: &Path) -> Result<()> {
    let root = empty(&target_folder().join("package-trial/deb/root"))?;
    must(Job::new("dpkg-deb").args(["-R"]).args([deb, &root]), "dpkg-deb")?;
    trial::has_all(&root, FILES)?;
    trial::same("conffiles", &control(&root, "conffiles")?, "/etc/weir/weir.toml")?;
    check_scripts(&root)?;
    check_units(&root)?;
    let weir = root.join("usr/bin/weir");
    let version = trial::read(built(), &["--version"])?;
    trial::same("its version", &trial::read(&weir, &["--version"])?, &version)?;
    crawl(&weir)?;
    lintian(deb)
}

fn control(root: &Path, name: &str) -> Result<String> {
    let file = root.join("DEBIAN").join(name);
    let text = fs::read_to_string(&file).map_err(|why| cannot("read", &file, &why))?;
    Ok(text.trim_end().to_owned())
}

/// The user is made, and units are neither enabled nor started by an installation.
fn check_scripts(root: &Path) -> Result<()> {
    let after = control(root, "postinst")?;
    let wanted = ["systemd-sysusers", "deb-systemd-invoke try-restart"];
    if let Some(lacks) = wanted.iter().find(|words| !after.contains(**words)) {
        return Err(format!("its postinst lacks {lacks}"));
    }
    match after.contains("deb-systemd-invoke start") {
        true => Err("its postinst starts a crawl that nobody asked for".into()),
        false => Ok(()),
    }
}

/// The units as they are, but for where weir is: the ones of this machine are not replaced.
fn check_units(root: &Path) -> Result<()> {
    if find_program("systemd-analyze").is_none() {
        println!("SKIPPED: units: there is no systemd-analyze");
        return Ok(());
    }
    let folder = empty(&target_folder().join("package-trial/deb/units"))?;
    let mut job = Job::new("systemd-analyze").args(["verify", "--man=no"]);
    for unit in UNITS {
        let name = format!("{unit}.service");
        let file = root.join("usr/lib/systemd/system").join(&name);
        let text = fs::read_to_string(&file).map_err(|why| cannot("read", &file, &why))?;
        let here = format!("ExecStart={} ", root.join("usr/bin/weir").display());
        let copy = folder.join(name);
        fs::write(&copy, text.replace("ExecStart=weir ", &here))
            .map_err(|why| cannot("write", &copy, &why))?;
        job = job.args([copy]);
    }
    must(job, "systemd-analyze verify")
}

/// A small web on loopback.
fn crawl(weir: &Path) -> Result<()> {
    let out = target_folder().join("package-trial/deb/demo");
    let demo = Job::new(weir).args(["demo", "--progress", "none", "--out"]).args([&out]);
    must(demo, "weir demo")?;
    trial::has_all(&out, &["report.json"])
}

fn lintian(deb: &Path) -> Result<()> {
    if find_program("lintian").is_none() {
        println!("SKIPPED: lintian is not installed");
        return Ok(());
    }
    must(Job::new("lintian").args(["--fail-on", "error"]).args([deb]), "lintian")
}
