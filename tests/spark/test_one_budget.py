"""Whatever Spark starts at a time: one limit for all tasks, and each page asked for once."""

import json
import threading
import time

import pytest
from web import PYTHONPATH, differences, rows, web, weir_crawl
from webweir.spark import crawl

pytestmark = pytest.mark.long
FLAGS = dict(scope="any", allow_private=True, traps="ignore")
WEB = ("--hosts", "12", "--pages", "30", "--cross", "1", "--page-bytes", "3000", "--latency", "40ms")
LIMIT = 100_000
WITHIN_S = 150
# Copies of whatever is not the first to end.
EAGER = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.01",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.minTaskRuntime": "100ms",
}


@pytest.fixture
def small():
    with web(*WEB) as it:
        yield it


def copies(folder):
    """Tasks that Spark started although another attempt was at work."""
    lines = (line for log in folder.rglob("*") if log.is_file() for line in log.read_text(errors="replace").splitlines())
    events = (json.loads(line) for line in lines if "SparkListenerTaskStart" in line)
    return sum(event["Task Info"]["Speculative"] for event in events)


def test_copies_of_tasks_ask_for_no_page_twice(cluster, small, tmp_path):
    log = tmp_path / "events"
    log.mkdir()
    events = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": log.as_uri(), "spark.eventLog.compress": "false"}
    with cluster.session(conf={**PYTHONPATH, **EAGER, **events}) as spark:
        crawled = crawl(spark, urls=small.seeds[:1], out=str(tmp_path / "out"), buckets=4, **FLAGS)
        found = rows(row.asDict(recursive=True) for row in crawled.pages.collect())
    assert copies(log) > 0, "Spark made no copies: this shows nothing"
    counts = small.counts()
    assert (counts["repeated"], counts["peak_requests"]) == (0, 1), "a host is asked by one at a time, for each page once"
    assert differences(found, weir_crawl(small.seeds[0], tmp_path / "one")) == []


class Sampled(threading.Thread):
    """What a web has sent, again and again."""

    def __init__(self, web):
        super().__init__(daemon=True)
        self.web, self.over, self.samples = web, threading.Event(), []

    def run(self):
        while not self.over.wait(0.1):
            self.samples.append((time.monotonic(), self.web.counts()["bytes"]))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()

    def worst(self, seconds):
        """Bytes a second, in the window of at least so many seconds in which most came."""
        pairs = ((one, two) for at, one in enumerate(self.samples) for two in self.samples[at:] if two[0] - one[0] >= seconds)
        return max((two[1] - one[1]) / (two[0] - one[0]) for one, two in pairs)


def test_all_tasks_together_hold_the_limit(cluster, small, tmp_path):
    with cluster.session(conf=PYTHONPATH) as spark:
        before = small.counts()["bytes"]
        with Sampled(small) as sampled:
            crawled = crawl(spark, urls=small.seeds[:1], out=str(tmp_path / "out"), buckets=4, limit=f"{LIMIT // 1000}KB/s", **FLAGS)
        assert crawled.count() >= 360
    assert small.counts()["bytes"] - before > 10 * LIMIT, "there was too little to hold back"
    # The web counts what it has handed to its kernel, which is ahead of what was received.
    assert sampled.worst(4.0) < 1.1 * LIMIT
    # One task by itself gets half of it when two are at work, and all of it when it is alone.
    assert sampled.worst(4.0) > 0.6 * LIMIT
