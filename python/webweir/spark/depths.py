"""Pages that turned out to be nearer than they were kept with, and what follows from that.

A task validates what it has read itself. Here is the rest: pages of earlier rounds, whose links are in
tables. As long as the crawl is small, all of it is looked at in one place, and what follows is known to its
end; of a large one only the buckets concerned are read, each by itself, and what leads from one to another
takes a round each time.
"""

import functools
import random
import tempfile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

from webweir import _webweir
from webweir.spark import task
from webweir.spark.buckets import by_bucket

PAGE, LINK, BEGIN = "page", "link", "begin"
TABLES = (("pages", PAGE), ("nearer", PAGE), ("links", LINK))
SCHEMAS = {
    PAGE: pa.schema([("url", pa.string()), ("depth", pa.int32())]),
    LINK: pa.schema([("url", pa.string()), ("target", pa.string()), ("kind", pa.string())]),
}
# Pages of a crawl that is looked at in one place: a link is some hundred bytes of memory.
SMALL = 100_000


def is_settled_at_once(last) -> bool:
    """Nothing is left to fetch that is known of, and it is small: what depths follow is known in one go."""
    return bool(last.outbox or last.unfollowed) and not last.waiting and last.total("pages") <= SMALL


def settle(driver) -> list:
    """Writes rows for the inbox of the next round: all that is nearer by what was found in the last one. Their files.

    No job of Spark: that would take longer than the work.
    """
    last, out = driver.last, driver.out
    cascade = _webweir.Cascade()
    for table, what in TABLES:
        for name in last.files(table):
            _take(cascade, what, _table(out, name, what))
    begin, arrived = ([row for name in names for row in _tuples(_table(out, name, PAGE))] for names in (last.unfollowed, last.outbox))
    told = _told(driver.buckets, cascade.follow(begin, arrived))
    if not told:
        return []
    with tempfile.NamedTemporaryFile(delete=False, suffix=".parquet") as file:
        pq.write_table(task.inbox_table(told), file)
    name = f"_weir/settled/round={last.round + 1}/{random.getrandbits(48):012x}.parquet"
    out.put(file.name, name)
    return [name]


def _table(out, name, what):
    columns = SCHEMAS[what]
    return pq.read_table(out.path(name), columns=columns.names, filesystem=out.system, partitioning=None).cast(columns)


def _take(cascade, what, table) -> None:
    (cascade.links if what == LINK else cascade.pages)(task.packed(table))


def _tuples(table) -> list:
    return list(zip(table["url"].to_pylist(), table["depth"].to_pylist()))


def cascade(driver):
    """The same of the buckets concerned, each as far as it goes by itself."""
    begin = _read(driver, driver.last.unfollowed)
    bucket_of = F.udf(functools.partial(_bucket_of, driver.buckets), IntegerType())
    begin = begin.withColumn("bucket", bucket_of("url"))
    concerned = [row["bucket"] for row in begin.select("bucket").distinct().collect()]
    rows = _rows(begin, BEGIN, F.col("bucket"))
    of_file = F.regexp_extract(F.input_file_name(), task.LABELLED, 1).cast("int")
    for table, what in TABLES:
        names = [name for bucket in concerned for name in driver.last.buckets[bucket].files.get(table, [])]
        if names:
            rows = rows.unionByName(_rows(_read(driver, names), what, of_file))
    work = functools.partial(follow, driver.buckets)
    return by_bucket(driver.spark, driver.buckets, rows).mapInArrow(work, task.INBOX)


def _read(driver, names):
    return driver.spark.read.parquet(*map(driver.out.spark, names))


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
    cascade, begin = _webweir.Cascade(), []
    for batch in batches:
        table = pa.Table.from_batches([batch])
        for what in (PAGE, LINK):
            _take(cascade, what, table.filter(pc.field("what") == what).select(SCHEMAS[what].names).cast(SCHEMAS[what]))
        begin += _tuples(table.filter(pc.field("what") == BEGIN))
    told = _told(buckets, cascade.follow(begin, []))
    if told:
        yield from task.inbox_table(told).to_batches()


def _told(buckets: int, followed) -> list:
    """What was followed, as rows of the inbox."""
    nearer, ways = followed
    told = [(_webweir.bucket_of(url, buckets), url, None, depth, 0, task.NEARER, None, 0) for url, depth in nearer]
    return told + [(_webweir.bucket_of(url, buckets), url, parent, depth, 0, "page", None, 0) for url, parent, depth in ways]
