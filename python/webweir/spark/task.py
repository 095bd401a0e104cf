"""What runs in an executor: one bucket in one round."""

import json
import os
import random
import shutil
import tempfile
import time
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from webweir import _webweir
from webweir.spark.bank import Address
from webweir.spark.out import Out

# What goes to a task: links that were found for its bucket, and (kind `control`) what to do with it.
INBOX = "bucket int, url string, parent string, depth int, redirects int, kind string, lastmod_s bigint, promise int"
SCHEMA = pa.schema(
    [
        ("bucket", pa.int32()),
        ("url", pa.string()),
        ("parent", pa.string()),
        ("depth", pa.int32()),
        ("redirects", pa.int32()),
        ("kind", pa.string()),
        ("lastmod_s", pa.int64()),
        ("promise", pa.int32()),
    ]
)
NAMES = SCHEMA.names
RESULT = "bucket int, result string"
CONTROL, NEARER, AGAIN = "control", "nearer", "again"
TABLES = ("pages", "links", "seen")
# The bucket, in the name of a file.
LABELLED = "b([0-9]+)r[0-9]+x[0-9a-f]{12}"
# Chunks of one state; when there are more, they are written as one.
MOST_CHUNKS = 8


@dataclass(frozen=True)
class Job:
    """The same for all tasks of a round."""

    out: Out
    bank: Address
    round: int
    buckets: int
    settings: str
    roots: bytes
    depth: int
    pages: int
    bytes: int
    seconds: float


def warm_up(rows):
    """For `mapPartitions`: this module is loaded by now."""
    yield from rows


def run_parts(job: Job, parts):
    """For `mapPartitions`: rows of INBOX as `packed` in, a bucket and what came of it out."""
    return _run(job, (row for part in parts for row in pa.ipc.open_stream(part).read_all().to_pylist()))


def run_batches(job: Job, batches):
    """For `mapInArrow`: the same with rows of INBOX in batches in, and rows of RESULT out."""
    for bucket, result in _run(job, (row for batch in batches for row in batch.to_pylist())):
        yield pa.RecordBatch.from_pydict({"bucket": pa.array([bucket], pa.int32()), "result": [result]})


def _run(job: Job, rows):
    inbox = {}
    for row in rows:
        inbox.setdefault(row["bucket"], []).append(row)
    for bucket, its_rows in inbox.items():
        result = crawl_bucket(job, bucket, its_rows)
        if result is not None:
            yield bucket, json.dumps(result)


def inbox_table(rows: list) -> pa.Table:
    """Rows of INBOX as Arrow has them."""
    columns = zip(*rows) if rows else [[]] * len(SCHEMA)
    return pa.Table.from_arrays([pa.array(column, field.type) for column, field in zip(columns, SCHEMA)], schema=SCHEMA)


def packed(table: pa.Table) -> bytes:
    """A table as a stream of Arrow."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def crawl_bucket(job: Job, bucket: int, rows: list):
    control = next((json.loads(row["url"]) for row in rows if row["kind"] == CONTROL), {})
    arrived = [_traveller(row) for row in rows if row["kind"] not in (CONTROL, NEARER, AGAIN)]
    nearer = [(row["url"], row["depth"]) for row in rows if row["kind"] == NEARER]
    again = [row["url"] for row in rows if row["kind"] == AGAIN]
    if not arrived and not nearer and not again and not control.get("waiting"):
        return None
    label = f"b{bucket}r{job.round}x{random.getrandbits(48):012x}"  # See LABELLED.
    folder = tempfile.mkdtemp(prefix="weir-", dir=scratch())
    try:
        return _crawl(job, bucket, control, arrived, nearer, again, label, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _crawl(job, bucket, control, arrived, nearer, again, label, folder):
    lease = job.bank.claim(job.round, bucket, folder)
    if isinstance(lease, bytes):
        return json.loads(lease)
    begun = time.time()
    chunks = control.get("chunks", [])
    fetch_state(job.out, chunks, folder)
    done = json.loads(
        _webweir.run_task(
            settings=job.settings,
            roots=job.roots,
            bucket=bucket,
            buckets=job.buckets,
            label=label,
            folder=folder,
            arrived=arrived,
            nearer=nearer,
            again=again,
            lease=lease,
            depth=job.depth,
            pages=job.pages,
            bytes=job.bytes,
            seconds=job.seconds,
            tries_failed=control.get("tries_failed", False),
        )
    )
    done["chunks"] = keep_state(job.out, chunks, done, label, folder)
    done["reaches"] = _reached(done["files"]["outbox"])
    done["files"] = keep_files(job, done["files"])
    done["seconds"] = time.time() - begun
    lease.finish(json.dumps(done).encode())
    return done


def _reached(outbox) -> list:
    """The buckets that something was found for."""
    return sorted(pq.read_table(outbox, columns=["bucket"])["bucket"].unique().to_pylist()) if outbox else []


def _traveller(row):
    return (row["url"], row["parent"], row["depth"], row["redirects"], row["kind"], row["lastmod_s"], row["promise"])


def scratch():
    """Spark says where there is room for what may be lost."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None


def fetch_state(out: Out, chunks: list, folder: str) -> None:
    """Puts the frontier's log together, as earlier rounds have left it."""
    os.makedirs(os.path.join(folder, "frontier"))
    if not chunks:
        return
    with open(os.path.join(folder, "frontier", "log"), "wb") as log:
        for name in chunks:
            with out.system.open_input_stream(out.path(name), compression="zstd") as chunk:
                shutil.copyfileobj(chunk, log, 1 << 20)


def keep_state(out: Out, chunks: list, done: dict, label: str, folder: str) -> list:
    """Keeps what this round has added to the log; returns the names of all its chunks."""
    begin = done["log_was"] if len(chunks) < MOST_CHUNKS else 0
    packed = os.path.join(folder, "state.zst")
    with open(os.path.join(folder, "frontier", "log"), "rb") as log, pa.CompressedOutputStream(packed, "zstd") as target:
        log.seek(begin)
        shutil.copyfileobj(log, target, 1 << 20)
    name = f"_weir/state/{label}.zst"
    out.put(packed, name)
    return [*chunks, name] if begin else [name]


def keep_files(job: Job, files: dict) -> dict:
    """Puts tables and WARC files where they belong; returns their names by table."""
    kept = {}
    for table, paths in files.items():
        paths = paths if isinstance(paths, list) else [paths] if paths else []
        kept[table] = [_keep(job, table, path) for path in paths]
    return kept


def _keep(job: Job, table: str, path: str) -> str:
    if table == "warc":
        folder = "warc"
    else:
        folder = f"{table if table in TABLES else '_weir/' + table}/round={job.round}"
    name = f"{folder}/{os.path.basename(path)}"
    job.out.put(path, name)
    return name
