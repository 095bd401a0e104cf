"""A recrawl whose driver is killed, and another one that goes on."""

import os
import subprocess
import sys

import pytest
from processes import wait_until
from web import PYTHONPATH, ROOT, web
from webweir.spark import crawl, open_crawl

pytestmark = pytest.mark.long
FLAGS = dict(scope="any", allow_private=True, traps="ignore", per_host=4)
WEB = ("--hosts", "6", "--pages", "20", "--cross", "1", "--page-bytes", "3000", "--changing", "never,1s", "--latency", "20ms")
WITHIN_S = 150


@pytest.fixture
def small():
    with web(*WEB) as it:
        it.set_time(0)
        yield it


class Driver:
    """`weir-spark recrawl` in a process of its own."""

    def __init__(self, cluster, seed, out, *flags):
        command = [sys.executable, "-m", "webweir.spark", "recrawl", seed, "--scope", "any", "--allow-private",
                   "--out", str(out), "--ahead-pages", "5", *flags]
        for name, value in {**cluster.confs(), **PYTHONPATH}.items():
            command += ["--conf", f"{name}={value}"]
        environment = {**os.environ, **cluster.environment(), "PYTHONPATH": str(ROOT / "python")}
        self.process = subprocess.Popen(command, env=environment, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait(30)


def test_what_was_chosen_stays_chosen_although_the_driver_is_killed(cluster, small, tmp_path):
    seed, out, most = small.seeds[0], tmp_path / "out", 60
    with cluster.session(conf=PYTHONPATH) as spark:
        crawl(spark, urls=[seed], out=str(out), buckets=4, **FLAGS)
    before = small.counts()["requests"]
    flags = ("--max-pages", str(most))
    with Driver(cluster, seed, out, *flags):
        wait_until(lambda: small.counts()["requests"] > before + 10, WITHIN_S, "pages are visited again")
    with Driver(cluster, seed, out, *flags) as second:
        assert second.process.wait(WITHIN_S) == 0
    with cluster.session(conf=PYTHONPATH) as spark:
        crawled = open_crawl(spark, str(out))
        told = crawled.manifest.recrawl
        times = {row["url"]: row["count"] for row in crawled.history.groupBy("url").count().collect()}
        kept = sum(count == 2 for count in times.values())
        assert max(times.values()) == 2
        assert (told.chosen, kept, told.unchanged + told.changed) == (most, most, most)
    # What was under way when it was killed is asked for again, and nothing else.
    assert small.counts()["requests"] - before <= most + 4 * 5
