"""What every crawler here can do, and the few steps that several need to get installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
# An installation that takes longer than this hangs.
PATIENCE_S = 1_800


class Missing(Exception):
    """The crawler cannot be had on this machine; the message says why."""


class Crawler:
    name = ""
    about = ""
    # Name and version, once it is installed.
    title = ""
    # Runs that it takes to see the crawler at its best, whatever --repeat says.
    least_runs = 1

    def install(self, cache):
        """Makes it runnable, with all its files under `cache`, or raises `Missing`."""
        raise NotImplementedError

    def version(self):
        raise NotImplementedError

    def command(self, scenario, seeds, seeds_file, out):
        """The command line. Its folder is scratch; `out` is a path in it that does not exist."""
        raise NotImplementedError

    def environment(self):
        return {}


def step(command, **options):
    """Runs one step of an installation and returns what it printed; `Missing` if it fails."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, check=False, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE_S, **options)
    except (OSError, subprocess.TimeoutExpired) as why:
        raise Missing(f"{' '.join(command[:3])}: {why}") from why
    if done.returncode != 0:
        raise Missing(f"{' '.join(command[:3])}: {last_line(done.stderr or done.stdout)}")
    return done.stdout


def last_line(text):
    told = [line.strip() for line in text.splitlines() if line.strip()]
    return told[-1][:200] if told else "it failed without a word"


def venv(cache, name, *packages):
    """A Python of its own with these packages. Returns its bin folder."""
    folder = cache / name
    done = folder / "installed"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        step([sys.executable, "-m", "venv", folder])
        step([folder / "bin" / "pip", "install", "--quiet", *packages])
        done.touch()
    return folder / "bin"


def apt_get(package):
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Missing(f"not installed, and only root can apt-get install {package}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    step(["apt-get", "install", "-y", "--no-install-recommends", package], env=environment)
