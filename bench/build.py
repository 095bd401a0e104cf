"""Builds what belongs to this repository: weir and the web on loopback that is crawled."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def testsite():
    """Path of the test web. Without it there is nothing to crawl, so its absence ends the bench."""
    if not cargo_build("weir-testsite"):
        sys.exit("bench: the test web does not build; see the errors above")
    return binary("weir-testsite")


def weir():
    """Path of weir built anew, or `None` if that does not work."""
    return binary("weir") if cargo_build("webweir") and binary("weir").exists() else None


def flood():
    """Path of the scheduler's load test, or `None` if it does not build."""
    return binary("examples/flood") if cargo_build("weir-cluster", "--example", "flood") else None


def scalecheck():
    """Path of the program that makes a frontier grow, or `None` if it does not build."""
    return binary("weir-scalecheck") if cargo_build("weir-scalecheck") else None


def cargo_build(package, *more):
    """True where somebody has built all of it already."""
    if built():
        return True
    command = ["cargo", "build", "--release", "--quiet", "-p", package, *more]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def binary(name):
    if built():
        return built() / name
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    return ROOT / target / "release" / name


def built():
    """The folder with all programs, if whoever started this has built them."""
    folder = os.environ.get("WEIR_PROGRAMS")
    return Path(folder) if folder else None
