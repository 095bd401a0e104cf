"""Rows of a query, one partition a bucket."""

import functools

from pyspark.sql import functions as F

from webweir.spark.errors import CrawlFailed


def by_bucket(spark, buckets: int, rows):
    """One partition a bucket."""
    # A long has another hash than an int of the same number.
    slots = F.array(*[F.lit(slot).cast("bigint") for slot in _slots(spark, buckets)])
    keyed = rows.withColumn("slot", F.element_at(slots, F.col("bucket") + 1))
    return keyed.repartition(buckets, "slot").drop("slot")


@functools.cache
def _slots(spark, buckets: int) -> list:
    """For each bucket a number whose hash leads to the partition of the same number."""
    numbers = spark.range(0, buckets * 40 + 200, 1, 1)
    part = F.pmod(F.hash(F.col("id")), F.lit(buckets)).alias("part")
    slots = {row["part"]: row["id"] for row in numbers.select("id", part).collect()}
    if len(slots) < buckets:
        raise CrawlFailed(f"{buckets} buckets could not be laid out; use fewer")
    return [slots[bucket] for bucket in range(buckets)]
