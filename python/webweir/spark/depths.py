"""Pages that turned out to be nearer than they were kept with, and what follows from that.

A task validates what it has read itself. Here is the rest: pages of earlier rounds, whose links are in
tables. Only the buckets concerned are read.
"""

import functools

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

from webweir import _webweir
from webweir.spark import task

PAGE, LINK, BEGIN = "page", "link", "begin"


def cascade(driver):
    """Rows for the inbox of the next round: what came nearer in other places."""
    out, last = driver.out, driver.last
    begin = driver.spark.read.parquet(*map(out.spark, last.unfollowed))
    bucket_of = F.udf(functools.partial(_bucket_of, driver.buckets), IntegerType())
    begin = begin.withColumn("bucket", bucket_of("url"))
    concerned = [row["bucket"] for row in begin.select("bucket").distinct().collect()]
    rows = _rows(begin.withColumn("bucket", F.col("bucket")), BEGIN, "bucket")
    for bucket in concerned:
        for table, kind in (("pages", PAGE), ("nearer", PAGE), ("links", LINK)):
            names = last.buckets[bucket].files.get(table, [])
            if names:
                found = driver.spark.read.parquet(*map(out.spark, names)).withColumn("bucket", F.lit(bucket))
                rows = rows.unionByName(_rows(found, kind, "bucket"))
    work = functools.partial(follow, driver.buckets)
    return driver.by_bucket(rows).mapInArrow(work, task.INBOX)


def _bucket_of(buckets, url):
    return _webweir.bucket_of(url, buckets)


def _rows(frame, kind, bucket):
    is_link = kind == LINK
    return frame.select(
        F.col(bucket).alias("bucket"),
        F.lit(kind).alias("what"),
        F.col("url"),
        (F.col("target") if is_link else F.lit(None).cast("string")).alias("target"),
        (F.col("kind") if is_link else F.lit(None).cast("string")).alias("kind"),
        (F.lit(None).cast("int") if is_link else F.col("depth").cast("int")).alias("depth"),
    )


def follow(buckets: int, batches):
    """For `mapInArrow`: one bucket with its pages and links."""
    found = {}
    for batch in batches:
        for row in batch.to_pylist():
            found.setdefault(row["bucket"], []).append(row)
    for bucket, rows in found.items():
        depths = {what: [(row["url"], row["depth"]) for row in rows if row["what"] == what] for what in (PAGE, BEGIN)}
        links = [(row["url"], row["target"], row["kind"]) for row in rows if row["what"] == LINK]
        nearer, ways = _webweir.follow(depths[PAGE], links, depths[BEGIN])
        told = [(bucket, url, None, depth, 0, task.NEARER, None, 0) for url, depth in nearer]
        told += [(_webweir.bucket_of(url, buckets), url, parent, depth, 0, "page", None, 0) for url, parent, depth in ways]
        if told:
            yield _batch(told)


def _batch(rows):
    names = ("bucket", "url", "parent", "depth", "redirects", "kind", "lastmod_s", "promise")
    types = (pa.int32(), pa.string(), pa.string(), pa.int32(), pa.int32(), pa.string(), pa.int64(), pa.int32())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows), types)]
    return pa.RecordBatch.from_arrays(columns, names)
