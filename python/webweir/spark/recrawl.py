"""Coming back to a crawl that is done: which pages to visit again, and doing so.

The choice is a job over the table of all visits (`history.py`, `choose.py`). It is committed like a round, by a manifest that
names files with what was chosen; the round after it asks for that, and all is as in a crawl from then on.
"""

import os
import random
import tempfile
import time
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from webweir import _webweir
from webweir.spark import history, manifest, task
from webweir.spark.choose import Most, choose
from webweir.spark.driver import Driver
from webweir.spark.errors import CrawlFailed, explained
from webweir.spark.out import Out
from webweir.spark.progress import Console, Silent
from webweir.spark.settings import Ahead, Settings, SettingsError, prepare
from webweir.spark.tables import Crawled

KEPT = "name string, count bigint"
DAY_MS = 86_400_000


def recrawl(spark: SparkSession, config=None, *, out="weir-spark-out", ahead=None, progress=False, **flags) -> Crawled:
    """Visits the pages of a crawl that is done again, or goes on with that; gives its tables.

    With `max_pages`, those that gain most; with `freshness` ("200MB/day"), those that are worth their bytes. Otherwise all.
    """
    settings = prepare(config, comes_back=True, **flags)
    check(settings)
    place = Out(out)
    check_crawl(place)
    driver = Returning(spark, settings, place, None, ahead or Ahead())
    driver.console = Console() if progress else Silent()
    driver.run()
    return driver.crawled()


def check(settings: Settings) -> None:
    if settings.max_pages == 0:
        raise SettingsError("max-pages = 0: write a number above 0")
    if settings.max_pages is not None and settings.freshness is not None:
        raise SettingsError("`max-pages` and `freshness` both say how much to visit again; leave one of them out")


def check_crawl(out: Out) -> None:
    """There is something to come back to."""
    last = manifest.last(out)
    if last.round < 0:
        raise CrawlFailed(f"nothing was crawled into {out.uri} yet: `weir-spark crawl` comes first")
    if not last.is_done and last.recrawl is None:
        raise CrawlFailed(
            f"the crawl in {out.uri} is not done, {last.waiting:,} URLs wait: "
            "run `weir-spark crawl` with the same --out (and no --max-pages) until it is"
        )


class Returning(Driver):
    """Rounds until what was chosen is visited, and what is new behind it."""

    def _is_over(self) -> bool:
        return self.last.is_done

    def _ahead(self):
        return self.ahead

    def _share(self, most, name, ahead):
        return ahead

    def _run(self) -> None:
        if self.last.is_done:
            try:
                self._choose()
            except (PySparkException, Py4JError) as why:
                raise explained(why) from why
        # Otherwise a choice was made already, and is not carried out yet.
        super()._run()

    def _choose(self) -> None:
        """What to visit again; it is decided when this returns."""
        self.console.chooses(self)
        now_ms = int(time.time() * 1000)
        after = self.last.next()
        first_ms = self.last.recrawl.first_ms if self.last.recrawl else now_ms
        after.recrawl = manifest.Recrawl(began_ms=now_ms, first_ms=first_ms, bytes_before=self.last.total("bytes_wire"))
        chosen, known, held = self._chosen(after.recrawl)
        try:
            names = chosen.mapInArrow(partial(_keep, self.out, after.round), KEPT).collect()
            after.again = [row["name"] for row in names]
            after.recrawl.chosen = sum(row["count"] for row in names)
            after.recrawl.left_out = known.count() - after.recrawl.chosen
        finally:
            for frame in held:
                frame.unpersist()
        self._alone.check()
        manifest.commit(self.out, after)
        self.last = after
        self.console.chose(self)

    def _chosen(self, now: manifest.Recrawl):
        """What to visit, of what, and what is held meanwhile."""
        files = self.last.files("pages")
        visits = self.spark.read.parquet(*map(self.out.spark, files)) if files else None
        seen = self._seen(visits)
        is_limited = self.settings.max_pages is not None or self.settings.freshness is not None
        if visits is None or not is_limited:
            return seen.mapInArrow(partial(_place, self.buckets), "bucket int, url string"), seen, []
        pages = history.learnt(visits, self.settings.settings).persist()
        leads = None
        if self.last.recrawl is not None:
            leads = history.found(visits, pages, now.first_ms)
        worth = history.worth(seen, pages, history.habits(pages), leads, now.began_ms, self.buckets).persist()
        return choose(worth, self._most(pages, now)), seen, [worth, pages]

    def _seen(self, visits):
        """URLs that may be asked for."""
        seen, depth = self.crawled().seen, self.settings.depth
        if depth is None:
            return seen.select("url")
        near, deep = seen.where(F.col("depth") <= depth), seen.where(F.col("depth") > depth)
        if visits is not None:
            # What is deeper was never asked for, unless it turned out to be nearer.
            near = near.unionByName(deep.join(visits.select("url"), "url", "left_semi").select(*near.columns))
        return near.select("url")

    def _most(self, pages, now: manifest.Recrawl) -> Most:
        """Pages, or the bytes that came together since the last time, less what was too much then."""
        if self.settings.max_pages is not None:
            return Most(self.settings.max_pages)
        before = self.last.recrawl
        began_ms, too_much = pages.agg(F.min("visited_ms")).first()[0] or now.began_ms, 0.0
        if before is not None:
            spent = now.bytes_before - before.bytes_before
            began_ms, too_much = before.began_ms, max(0.0, spent - before.budget) if before.budget is not None else 0.0
        earned = self.settings.freshness * max(0, now.began_ms - began_ms) / DAY_MS
        now.budget = max(0.0, earned - too_much)
        return Most(now.budget, "bytes")


def _place(buckets: int, batches):
    """For `mapInArrow`: the bucket that each URL belongs to."""
    for batch in batches:
        urls = batch.column("url")
        places = [_webweir.bucket_of(url, buckets) for url in urls.to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(places, pa.int32()), urls], ["bucket", "url"])


def _keep(out: Out, number: int, batches):
    """For `mapInArrow`: writes what was chosen as rows of an inbox."""
    rows = [(row["bucket"], row["url"]) for batch in batches for row in batch.select(["bucket", "url"]).to_pylist()]
    if not rows:
        return
    table = task.inbox_table([(bucket, url, None, 0, 0, task.AGAIN, None, 0) for bucket, url in rows])
    name = f"_weir/again/round={number}/{random.getrandbits(64):016x}.parquet"
    with tempfile.NamedTemporaryFile(suffix=".parquet", dir=task.scratch(), delete=False) as file:
        pq.write_table(table, file)
    try:
        out.put(file.name, name)
    finally:
        if os.path.exists(file.name):
            os.unlink(file.name)
    yield pa.RecordBatch.from_pydict({"name": [name], "count": pa.array([len(rows)], pa.int64())})
