"""The driver: round after round until nothing waits.

A round is one Spark job. Links that were found for other buckets are brought to them (a shuffle),
each bucket is crawled by one task, and the results of all are committed by one small file.
"""

import json
import time

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from webweir import _webweir
from webweir.spark import inbox, manifest, task
from webweir.spark.alone import Alone
from webweir.spark.bank import Bank
from webweir.spark.errors import explained
from webweir.spark.out import Out
from webweir.spark.progress import Console, Silent
from webweir.spark.settings import Ahead, Settings, prepare
from webweir.spark.tables import Crawled


def crawl(spark: SparkSession, config=None, *, out="weir-spark-out", buckets=None, speculate=True, ahead=None, progress=False, **flags) -> Crawled:
    """Crawls, or goes on with what is at `out`; gives tables of pages and links.

    `config` is the path of a weir.toml or a dict of its keys; keys given by name go before it.
    """
    settings = prepare(config, **flags)
    driver = Driver(spark, settings, Out(out), buckets, (ahead or Ahead()) if speculate else None)
    driver.console = Console() if progress else Silent()
    driver.run()
    return driver.crawled()


def open_crawl(spark: SparkSession, out: str) -> Crawled:
    """The tables of a crawl as it stands."""
    place = Out(out)
    return Crawled(spark, place, manifest.last(place))


COUNTED = ("pages", "fetches", "failed", "bytes_wire", "bytes_body")


class Driver:
    """One crawl, from its last round on."""

    def __init__(self, spark: SparkSession, settings: Settings, out: Out, buckets, ahead):
        self.spark, self.settings, self.out, self.ahead = spark, settings, out, ahead
        self._wanted = buckets or max(1, spark.sparkContext.defaultParallelism)
        self.is_new_run = True
        self.console = Silent()
        # Added to when a round is committed, so that what Spark does twice is not counted twice.
        self.counters = {name: spark.sparkContext.accumulator(0) for name in COUNTED}

    def run(self) -> None:
        """Until nothing is left to do, or a limit is reached."""
        with Alone(self.out, self.console.waits_for_another) as self._alone:
            self.buckets = manifest.begin(self.out, self._wanted)
            self.last = manifest.last(self.out)
            manifest.sweep(self.out, self.last)
            with Bank(self.spark, self.settings.limit) as self.bank:
                self._run()

    def _run(self) -> None:
        self.console.begins(self)
        self._warm_up()
        while not self._is_over():
            self._wait()
            begun = time.time()
            self.bank.begin_round(self.last.round + 1, self.buckets)
            with self.console.watching(self):
                results = self._collect(lambda: inbox.job(self, self._job()))
            after = self.last.next()
            for bucket, result in results:
                after.take(bucket, json.loads(result))
            after.seconds += time.time() - begun
            self._alone.check()
            manifest.commit(self.out, after)
            self._count(after)
            self.last, self.is_new_run = after, False
            self.console.round(self, time.time() - begun)
        self.console.ends(self)

    def _warm_up(self) -> None:
        """Executors start and load what they need, all at the same time and before anybody waits for them."""
        if self._is_over():
            return
        context = self.spark.sparkContext
        self._collect(lambda: context.parallelize(range(self.buckets), self.buckets).mapPartitions(task.warm_up))

    def _collect(self, make):
        """The rows of a job; what is wrong with the cluster is told in words."""
        try:
            return make().collect()
        except (PySparkException, Py4JError) as why:
            raise explained(why) from why

    def _is_over(self) -> bool:
        if self.is_new_run and self.last.round < 0:
            return False
        bounds = ((self.settings.max_pages, "pages"), (self.settings.max_bytes, "bytes_wire"))
        is_reached = any(most is not None and self.last.total(name) >= most for most, name in bounds)
        return self.last.is_done or is_reached

    def _wait(self) -> None:
        """Where all that waits has to wait for long, there is nothing to start for."""
        open_ones = [bucket for bucket in self.last.buckets.values() if bucket.waiting]
        if not open_ones or self.last.outbox or self.last.unfollowed:
            return
        due = min((bucket.next_due_ms or 0) for bucket in open_ones)
        pause = due / 1000 - time.time()
        if pause > 0:
            self.console.waits(pause)
            time.sleep(pause)

    def _count(self, after) -> None:
        for name, counter in self.counters.items():
            counter.add(after.total(name) - self.last.total(name))

    def _job(self) -> task.Job:
        number = self.last.round + 1
        ahead = self._ahead()
        return task.Job(
            out=self.out,
            bank=self.bank.address,
            round=number,
            buckets=self.buckets,
            settings=self.settings.settings,
            roots=self.settings.roots,
            depth=None if ahead else number,
            pages=self._share(self.settings.max_pages, "pages", ahead and ahead.pages),
            bytes=self._share(self.settings.max_bytes, "bytes_wire", ahead and ahead.bytes),
            seconds=ahead.seconds if ahead else None,
        )

    def _ahead(self):
        """As long as few buckets have work, tasks come back soon with what they have found for the others, but
        less soon from round to round: there may be nothing for the others."""
        if self.ahead is None:
            return None
        working = {number for number, bucket in self.last.buckets.items() if bucket.waiting}
        working.update(self.last.reached)
        if self.last.round < 0:
            working.update(_webweir.bucket_of(seed, self.buckets) for seed in self.settings.seeds)
        return self.ahead if 2 * len(working) > self.buckets else self.ahead.sooner(4 ** (self.last.round + 1))

    def _share(self, most, name, ahead):
        """With a bound for all of it, what is left is divided among the buckets."""
        if most is None:
            return ahead
        left = max(1, -(-(most - self.last.total(name)) // self.buckets))
        return left if ahead is None else min(left, ahead)

    def crawled(self) -> Crawled:
        return Crawled(self.spark, self.out, self.last, self.counters)
