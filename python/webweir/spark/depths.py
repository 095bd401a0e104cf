"""Pages that turned out to be nearer than they were kept with, and what follows from that.

A task validates what it has read itself. Here is the rest: pages of earlier rounds, whose links are in
tables. As long as the crawl is small, all of it is looked at in one place, and what follows is known to its
end; of a large one only the buckets concerned are read, each by itself, and what leads from one to another
takes a round each time.
"""

import functools

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

from webweir import _webweir
from webweir.spark import task

PAGE, LINK, BEGIN, ARRIVED = "page", "link", "begin", "arrived"
TABLES = (("pages", PAGE), ("nearer", PAGE), ("links", LINK))
COLUMNS = ("bucket", "what", "url", "target", "kind", "depth")
# Pages of a crawl that is looked at in one place: their links are some hundred bytes each in memory.
SMALL = 100_000


def is_settled_at_once(last) -> bool:
    """Nothing is left to fetch that is known of, and it is small: what depths follow is known in one go."""
    return bool(last.outbox or last.unfollowed) and not last.waiting and last.total("pages") <= SMALL


def settle(driver):
    """Rows for the inbox of the next round: all that is nearer by what was found in the last one."""
    last = driver.last
    found = [(last.files(table), what) for table, what in TABLES] + [(last.unfollowed, BEGIN), (last.outbox, ARRIVED)]
    rows = [_rows(_read(driver, names), what, F.lit(0)) for names, what in found if names]
    work = functools.partial(follow, driver.buckets)
    return functools.reduce(_union, rows).repartition(1).mapInArrow(work, task.INBOX)


def cascade(driver):
    """The same of the buckets concerned, each as far as it goes by itself."""
    begin = _read(driver, driver.last.unfollowed)
    bucket_of = F.udf(functools.partial(_bucket_of, driver.buckets), IntegerType())
    begin = begin.withColumn("bucket", bucket_of("url"))
    concerned = [row["bucket"] for row in begin.select("bucket").distinct().collect()]
    rows = functools.reduce(_union, _tables(driver, concerned), _rows(begin, BEGIN, F.col("bucket")))
    work = functools.partial(follow, driver.buckets)
    return driver.by_bucket(rows).mapInArrow(work, task.INBOX)


def _tables(driver, buckets) -> list:
    found = []
    for bucket in buckets:
        files = driver.last.buckets[bucket].files
        named = [(files.get(table), what) for table, what in TABLES]
        found += [_rows(_read(driver, names), what, F.lit(bucket)) for names, what in named if names]
    return found


def _read(driver, names):
    return driver.spark.read.parquet(*map(driver.out.spark, names))


def _union(one, other):
    return one.unionByName(other)


def _bucket_of(buckets, url):
    return _webweir.bucket_of(url, buckets)


def _rows(frame, what, bucket):
    is_link = what == LINK
    return frame.select(
        bucket.alias("bucket"),
        F.lit(what).alias("what"),
        F.col("url"),
        (F.col("target") if is_link else F.lit(None).cast("string")).alias("target"),
        (F.col("kind") if is_link else F.lit(None).cast("string")).alias("kind"),
        (F.lit(None).cast("int") if is_link else F.col("depth").cast("int")).alias("depth"),
    )


def follow(buckets: int, batches):
    """For `mapInArrow`: pages and links of the same place."""
    depths, links = {PAGE: [], BEGIN: [], ARRIVED: []}, []
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in COLUMNS]
        for _, what, url, target, kind, depth in zip(*columns):
            if what == LINK:
                links.append((url, target, kind))
            else:
                depths[what].append((url, depth))
    nearer, ways = _webweir.follow(depths[PAGE], links, depths[BEGIN], depths[ARRIVED])
    told = [(_webweir.bucket_of(url, buckets), url, None, depth, 0, task.NEARER, None, 0) for url, depth in nearer]
    told += [(_webweir.bucket_of(url, buckets), url, parent, depth, 0, "page", None, 0) for url, parent, depth in ways]
    if told:
        yield _batch(told)


def _batch(rows):
    names = ("bucket", "url", "parent", "depth", "redirects", "kind", "lastmod_s", "promise")
    types = (pa.int32(), pa.string(), pa.string(), pa.int32(), pa.int32(), pa.string(), pa.int64(), pa.int32())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows), types)]
    return pa.RecordBatch.from_arrays(columns, names)
