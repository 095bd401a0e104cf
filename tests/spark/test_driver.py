"""Drivers that are killed, and others that go on with what they had."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from processes import wait_until
from web import PYTHONPATH, ROOT, differences, rows, weir_crawl

pytestmark = pytest.mark.long
WITHIN_S = 150


class Driver:
    """`weir-spark crawl` in a process of its own."""

    def __init__(self, cluster, seed, out):
        command = [sys.executable, "-m", "webweir.spark", "crawl", seed, "--scope", "any", "--allow-private",
                   "--out", str(out), "--buckets", "4", "--ahead-pages", "15"]
        for name, value in {**cluster.confs(), **PYTHONPATH}.items():
            command += ["--conf", f"{name}={value}"]
        environment = {**os.environ, **cluster.environment(), "PYTHONPATH": str(ROOT / "python")}
        self.process = subprocess.Popen(command, env=environment, start_new_session=True)
        self.rounds = Path(out) / "_weir" / "rounds"

    def committed(self):
        return len(list(self.rounds.glob("*.json"))) if self.rounds.is_dir() else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait(30)

    def press_ctrl_c(self):
        """All that share a terminal get it."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait(self):
        return self.process.wait(WITHIN_S)


def pages_named(out):
    """Files of pages that the last round has."""
    manifest = json.loads(sorted((out / "_weir" / "rounds").glob("*.json"))[-1].read_text())
    return [name for bucket in manifest["buckets"].values() for name in bucket["files"].get("pages", [])]


def committed(out):
    return rows(row for name in pages_named(out) for row in pq.ParquetFile(out / name).read().to_pylist())


def test_a_killed_driver_goes_on_where_it_was(cluster, small, tmp_path):
    out = tmp_path / "out"
    expected = weir_crawl(small.seeds[0], tmp_path / "one")
    before = small.counts()["requests"]
    with Driver(cluster, small.seeds[0], out):
        wait_until(lambda: small.counts()["requests"] > before + 20, WITHIN_S, "the first driver is at work")
    # It was killed inside a round; the next one is killed when a round was just committed, or soon after.
    with Driver(cluster, small.seeds[0], out) as second:
        wait_until(lambda: second.committed() >= 2, WITHIN_S, "a second round is committed")
    with Driver(cluster, small.seeds[0], out) as third:
        assert third.wait() == 0
    assert differences(committed(out), expected) == []
    left = {str(path.relative_to(out)) for path in (out / "pages").rglob("*.parquet")}
    assert left == set(pages_named(out)), "what never happened is swept away"


def test_ctrl_c_ends_a_driver_soon_and_the_same_command_goes_on(cluster, small, tmp_path):
    out = tmp_path / "out"
    expected = weir_crawl(small.seeds[0], tmp_path / "one")
    before = small.counts()["requests"]
    with Driver(cluster, small.seeds[0], out) as first:
        wait_until(lambda: small.counts()["requests"] > before + 20, WITHIN_S, "it is at work")
        first.press_ctrl_c()
        assert first.wait() == 4
    assert not (out / "_weir" / "driver.json").exists(), "nobody has to wait for it"
    with Driver(cluster, small.seeds[0], out) as second:
        assert second.wait() == 0
    assert differences(committed(out), expected) == []
