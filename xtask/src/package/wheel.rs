use std::path::{Path, PathBuf};

use super::{Result, must, only_file, trial};
use crate::needs::{make_venv, python_environment};
use crate::shell::{Job, target_folder};

const REQUIREMENTS: &str = "packaging/requirements.txt";

pub fn make(folder: &Path) -> Result<PathBuf> {
    let python = python_environment("maturin", REQUIREMENTS);
    let python = python.ok_or("maturin cannot be installed: python3 with venv, pip, an index")?;
    let job = Job::new(python).args(["-m", "maturin", "build", "--release", "--locked"]);
    must(job.args(["--strip", "--out"]).args([folder]).by_hand(), "maturin")?;
    only_file(folder, "whl")
}

/// Installs it where nothing of ours is, and runs what it brings.
pub fn try_out(wheel: &Path) -> Result<()> {
    let folder = target_folder().join("package-trial/wheel/environment");
    if !make_venv(&folder) {
        return Err(format!("cannot make an environment in {}", folder.display()));
    }
    let python = folder.join("bin/python");
    let pip = Job::new(&python).args(["-m", "pip", "install", "--quiet"]);
    must(pip.args([wheel]), "pip install of the wheel")?;
    let number = env!("CARGO_PKG_VERSION");
    // Isolated: nothing of the sources is on its path.
    let import = ["-I", "-c", "import webweir; print(webweir.__version__)"];
    trial::same("webweir.__version__", &trial::read(&python, &import)?, number)?;
    let command = folder.join("bin/weir-spark");
    let version = trial::read(&command, &["--version"])?;
    trial::same("its version", &version, &format!("weir-spark {number}"))?;
    trial::read(&command, &["crawl", "--help"]).map(|_| ())
}
