"""What goes to the tasks of a round, and the job that brings it to them.

As long as it is little, the driver reads it and hands each task its part: a job without a query starts in a
fraction of the time, in the driver and in each executor. What is much is shuffled by Spark.
"""

import functools
import json

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webweir import _webweir
from webweir.spark import depths, task
from webweir.spark.buckets import by_bucket

# Bytes and files that the driver reads by itself: some 400,000 links.
LITTLE_BYTES, LITTLE_FILES = 4_000_000, 1_000


def job(driver, work: task.Job):
    """The job of the next round, not yet run; its rows are a bucket and what came of it."""
    last, names = driver.last, driver.last.outbox + driver.last.again
    is_settled = depths.is_settled_at_once(last)
    if is_settled:
        names = names + depths.settle(driver)
    follows = bool(last.unfollowed) and not is_settled
    if not follows and _is_little(driver.out, names):
        return _handed(driver, names, functools.partial(task.run_parts, work))
    return _shuffled(driver, names, follows, functools.partial(task.run_batches, work))


def _is_little(out, names: list) -> bool:
    return len(names) <= LITTLE_FILES and out.bytes_of(names) <= LITTLE_BYTES


def _handed(driver, names: list, work):
    """A part is a table of rows of INBOX, as Arrow writes it."""
    tables = [pq.read_table(driver.out.path(name), filesystem=driver.out.system, partitioning=None) for name in names]
    whole = pa.concat_tables([task.inbox_table(_control(driver)), *(table.select(task.NAMES).cast(task.SCHEMA) for table in tables)])
    whole = whole.sort_by("bucket")
    counts = {row["values"]: row["counts"] for row in pc.value_counts(whole["bucket"]).to_pylist()}
    parts, begin = [], 0
    for bucket in range(driver.buckets):
        parts.append(task.packed(whole.slice(begin, counts[bucket])))
        begin += counts[bucket]
    return driver.spark.sparkContext.parallelize(parts, len(parts)).mapPartitions(work)


def _shuffled(driver, names: list, follows: bool, work):
    rows = driver.spark.createDataFrame(_control(driver), task.INBOX)
    if follows:
        rows = rows.unionByName(depths.cascade(driver))
    if names:
        # Told the columns, Spark need not look for them with a job of its own.
        rows = rows.unionByName(driver.spark.read.schema(task.INBOX).parquet(*map(driver.out.spark, names)))
    return by_bucket(driver.spark, driver.buckets, rows).mapInArrow(work, task.RESULT)


def _control(driver) -> list:
    """A row for each bucket, and the seeds if this is the beginning."""
    rows, last, settings = [], driver.last, driver.settings
    for bucket in range(driver.buckets):
        known = last.buckets.get(bucket)
        told = {"tries_failed": driver.is_new_run, "waiting": 0}
        if known:
            told.update(chunks=known.chunks, waiting=known.waiting)
        rows.append((bucket, json.dumps(told), None, 0, 0, task.CONTROL, None, 0))
    if last.round < 0:
        named = [(seed, "page") for seed in settings.seeds] + [(url, "sitemap") for url in settings.sitemaps]
        rows += [(_webweir.bucket_of(url, driver.buckets), url, None, 0, 0, kind, None, 255) for url, kind in named]
    return rows
