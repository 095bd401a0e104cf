"""What all visits of all pages tell, as jobs over their table: how often a page changes, and what the next visit gains.

The model is that of one machine (docs/recrawl.md), and so is the code: Rust is handed batches of Arrow, which are sorted so
that it needs to keep no more than one page, or a part of one site, in memory.
"""

import functools

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from webweir import _webweir

VISIT = pa.schema(
    [
        ("url", pa.string()),
        ("site", pa.string()),
        ("is_seed", pa.bool_()),
        ("at_ms", pa.int64()),
        ("status", pa.int32()),
        ("bytes", pa.int64()),
        ("digest", pa.string()),
        ("etag", pa.string()),
        ("last_modified", pa.string()),
        ("text", pa.int64()),
        ("fields", pa.string()),
        ("final_url", pa.string()),
    ]
)
PAGE = (
    "url string, site string, is_seed boolean, visits int, changes int, visited_ms bigint, second_ms bigint, "
    "fetch bigint, check bigint, has_validators boolean, seen_changes double, seen_days double"
)
EVIDENCE = pa.schema([("site", pa.string()), ("seen_changes", pa.float64()), ("seen_days", pa.float64())])
SITE = "site string, prior_changes double, prior_days double"
KNOWN = pa.schema(
    [
        ("url", pa.string()),
        ("is_seed", pa.bool_()),
        ("visits", pa.int32()),
        ("changes", pa.int32()),
        ("visited_ms", pa.int64()),
        ("fetch", pa.int64()),
        ("check", pa.int64()),
        ("has_validators", pa.bool_()),
        ("seen_changes", pa.float64()),
        ("seen_days", pa.float64()),
        ("prior_changes", pa.float64()),
        ("prior_days", pa.float64()),
        ("found", pa.int64()),
    ]
)
WORTH = "bucket int, url string, always boolean, gain double, bytes double, age double, rate double"
# Pages that tell what pages are like everywhere; more would tell the same.
SAMPLE = 200_000
PARTS = 1 << 20


def learnt(visits: DataFrame, settings: str) -> DataFrame:
    """A row of PAGE for each URL of the table of all visits."""
    rows = visits.select(
        "url",
        "site",
        F.col("parent").isNull().alias("is_seed"),
        F.unix_millis("fetched_at").alias("at_ms"),
        "status",
        F.col("bytes_wire").alias("bytes"),
        "digest",
        "etag",
        "last_modified",
        F.col("simhash").alias("text"),
        F.to_json("fields").alias("fields"),
        "final_url",
    )
    ordered = rows.repartition("url").sortWithinPartitions("url", "at_ms")
    return ordered.mapInArrow(functools.partial(_learn_pages, settings), PAGE)


def habits(pages: DataFrame) -> DataFrame:
    """A row of SITE for each site of which something was seen for a while: what its pages are like."""
    seen = pages.where("seen_days > 0").select("site", "seen_changes", "seen_days", F.xxhash64("url").alias("lot"))
    count = seen.count()
    lot = int(PARTS * min(1.0, SAMPLE / max(1, count)))
    sample = seen.where(F.pmod("lot", F.lit(PARTS)) < lot).select("seen_changes", "seen_days")
    everywhere = _webweir.everywhere([tuple(row) for row in sample.collect()])
    # By lot, so that those that are looked at are any.
    ordered = seen.repartition("site").sortWithinPartitions("site", "lot").drop("lot")
    return ordered.mapInArrow(functools.partial(_learn_sites, everywhere), SITE)


def found(visits: DataFrame, pages: DataFrame, since_ms: int) -> DataFrame:
    """`url`, `found`: pages that are known by a later visit of another one. Before `since_ms` there were none."""
    firsts = visits.groupBy("url").agg(
        F.min_by("parent", "fetched_at").alias("parent"), F.unix_millis(F.min("fetched_at")).alias("first_ms")
    )
    parents = pages.where("second_ms is not null").select(F.col("url").alias("parent"), "second_ms")
    later = firsts.where(F.col("first_ms") >= since_ms).drop("url").join(parents, "parent").where("first_ms >= second_ms")
    return later.groupBy(F.col("parent").alias("url")).agg(F.count("*").alias("found"))


def worth(seen: DataFrame, pages: DataFrame, sites: DataFrame, leads, now_ms: int, buckets: int) -> DataFrame:
    """A row of WORTH for each URL of `seen`. `leads` is what `found` returned, or None."""
    known = seen.select("url").join(pages, "url", "left").join(sites, "site", "left")
    if leads is None:
        known = known.withColumn("found", F.lit(0).cast("bigint"))
    else:
        known = known.join(leads, "url", "left").fillna(0, ["found"])
    known = known.select(*KNOWN.names)
    return known.mapInArrow(functools.partial(_worth, now_ms, buckets), WORTH)


def _learn_pages(settings, batches):
    yield from _through(_webweir.PageHistory(settings), batches, VISIT)


def _learn_sites(everywhere, batches):
    yield from _through(_webweir.SiteHistory(everywhere), batches, EVIDENCE)


def _worth(now_ms, buckets, batches):
    for batch in batches:
        for told in _webweir.worth(_packed(batch, KNOWN), now_ms, buckets):
            yield from _unpacked(told)


def _through(learner, batches, schema):
    for batch in batches:
        for told in learner.take(_packed(batch, schema)):
            yield from _unpacked(told)
    yield from _unpacked(learner.end())


def _packed(batch, schema) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        stream.write_table(pa.Table.from_batches([batch]).cast(schema))
    return sink.getvalue().to_pybytes()


def _unpacked(stream: bytes):
    for batch in pa.ipc.open_stream(stream):
        if batch.num_rows:
            yield batch
