"""A short real crawl, made once, whose output the tests of the checker spoil."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def programs():
    folder = os.environ.get("WEIR_PROGRAMS")
    return Path(folder) if folder else Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"


def chaos(programs, folder, *flags):
    """Runs the script; what it said and its exit code."""
    words = [sys.executable, str(HERE / "soak.py"), "--folder", str(folder), "--keep", *flags]
    environment = {**os.environ, "WEIR_PROGRAMS": str(programs)}
    return subprocess.run(words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1_200, check=False)


def can_run():
    import lab
    return not lab.need() and lab.can_enter()


@pytest.fixture(scope="session")
def calm(programs, tmp_path_factory):
    """The run folder of a few seconds in which nothing had time to go wrong."""
    if not can_run():
        pytest.skip("needs the right to make namespaces, and iproute2")
    folder = tmp_path_factory.mktemp("calm") / "run"
    done = chaos(programs, folder, "--minutes", "0.01", "--seed", "1", "--scenario", "single", "--limit", "2000000")
    run = folder / "single"
    assert (run / "run.json").exists(), done.stdout
    kept = folder / "kept" / "single" / "crawl" / "out"
    (run / "crawl").rmdir()
    kept.parent.rename(run / "crawl")
    # How well the limit was held on a busy machine is no matter of these tests.
    limit = json.loads((run / "run.json").read_text())["limit"]
    (run / "wire.csv").write_text("".join(f"{n / 50},{n * limit // 50}\n" for n in range(200)))
    return run
