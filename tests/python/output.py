"""Reads what a crawl left in its output folder with readers that are not ours, and judges it.

    output.py DIR > rows.tsv

Every page must be exactly once in the WARC files and exactly once in the Parquet tables, and the
two must agree; digests must be right (`warcio check`), tables must be readable by pyarrow and by
DuckDB. What is wrong is said on standard error, and the exit code is then 1.

On standard output one line a page, sorted by URL: url, status, length and SHA-1 (hexadecimal) of
the body with its content coding undone, the first 16 digits of its SHA-256, and whether it is
stored as `response` or `revisit`.
"""

import base64
import hashlib
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow.parquet
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker
from warcio.exceptions import ArchiveLoadFailed

COLUMNS = (
    "url final_url site depth parent status fetched_at elapsed_ms content_type charset bytes_wire "
    "bytes_body digest etag last_modified duplicate_of lang title published author copyright text "
    "videos fields warc_file warc_offset"
).split()
NEEDED = "url status digest duplicate_of bytes_body warc_file warc_offset".split()
TOLD = 10  # problems of one kind that are spelled out


class Problems:
    def __init__(self):
        self.count = Counter()

    def add(self, kind, what):
        self.count[kind] += 1
        if self.count[kind] <= TOLD:
            print(f"{kind}: {what}", file=sys.stderr)

    def close(self):
        for kind, count in self.count.items():
            print(f"{kind}: {count} in all", file=sys.stderr)
        return 1 if self.count else 0


class Record:
    """What is kept of a response or revisit record."""

    def __init__(self, record):
        head = record.rec_headers
        self.kind = record.rec_type
        self.url = head.get_header("WARC-Target-URI")
        self.digest = head.get_header("WARC-Payload-Digest")
        self.status = int(record.http_headers.get_statuscode())
        self.refers_to = head.get_header("WARC-Refers-To-Target-URI")
        body = record.content_stream().read()  # with the content coding undone
        self.told = (len(body), hashlib.sha1(body).hexdigest(), hashlib.sha256(body).hexdigest()[:16])


def read_warcs(folder, problems):
    """All response and revisit records by URL, and the counts of the records around them."""
    records, around, ids = {}, Counter(), set()
    for path in sorted(folder.glob("*")):
        if not path.name.endswith(".warc.gz"):
            problems.add("not a WARC file", path)
            continue
        try:
            read_warc(path, records, around, ids, problems)
        except ArchiveLoadFailed as why:
            problems.add("unreadable WARC", f"{path}: {why}")
    return records, around


def read_warc(path, records, around, ids, problems):
    with path.open("rb") as stream:
        archive = ArchiveIterator(stream, check_digests=True)
        for number, record in enumerate(archive):
            judge_record(record, number, path, ids, problems)
            url = record.rec_headers.get_header("WARC-Target-URI")
            if record.rec_type not in ("response", "revisit"):
                around[record.rec_type, url] += 1
                continue
            if url in records:
                problems.add("twice in the WARC", url)
            records[url] = Record(record)
            # Asking for the place skips what is left of the record, so it comes last.
            records[url].place = (path.name, archive.get_record_offset())
            if record.digest_checker.passed is False:
                problems.add("wrong digest", f"{url}: {record.digest_checker.problems}")
        if stream.tell() != path.stat().st_size:
            problems.add("rest after the last record", path)


def judge_record(record, number, path, ids, problems):
    where = f"record {number} of {path.name}"
    head = record.rec_headers
    if head.protocol != "WARC/1.1":
        problems.add("not WARC 1.1", f"{where}: {head.protocol}")
    if (number == 0) != (record.rec_type == "warcinfo"):
        problems.add("warcinfo out of place", f"{where} is {record.rec_type}")
    name = head.get_header("WARC-Record-ID")
    if name in ids:
        problems.add("record ID twice", f"{where}: {name}")
    ids.add(name)


def warcio_check(folder, problems):
    """What `warcio check` does, which prints what is wrong to standard output."""

    class Arguments:
        inputs = [str(path) for path in sorted(folder.glob("*.warc.gz"))]
        verbose = False

    told, sys.stdout = sys.stdout, sys.stderr
    try:
        if Checker(Arguments).process_all() != 0:
            problems.add("warcio check", "failed")
    finally:
        sys.stdout = told


def judge_warcs(records, around, problems):
    for url, record in records.items():
        for kind in ("request", "metadata"):
            if around.pop((kind, url), 0) != 1:
                problems.add("not exactly one " + kind, url)
        if record.kind == "revisit":
            first = records.get(record.refers_to)
            if first is None or first.kind != "response" or first.digest != record.digest:
                problems.add("revisit of nothing", f"{url} refers to {record.refers_to}")
            else:
                record.told = first.told
    for (kind, url), count in around.items():
        if kind != "warcinfo":
            problems.add("record without a page", f"{count} {kind} of {url}")


def read_tables(folder, problems):
    """All rows as dictionaries, after pyarrow and DuckDB agreed on how many there are."""
    paths = sorted(folder.glob("*"))
    for path in paths:
        if path.suffix != ".parquet":
            problems.add("not a Parquet file", path)
    paths = [path for path in paths if path.suffix == ".parquet"]
    if not paths:
        problems.add("no Parquet file", folder)
        return []
    rows = []
    for path in paths:
        names = pyarrow.parquet.read_schema(path).names
        if missing := [name for name in COLUMNS if name not in names]:
            problems.add("columns missing", f"{path.name}: {missing}")
        pyarrow.parquet.read_table(path)  # all columns must be readable, not only those we want
        rows += pyarrow.parquet.read_table(path, columns=NEEDED).to_pylist()
    pattern = str(folder / "*.parquet")
    count, distinct = duckdb.execute(
        "select count(*), count(distinct url) from read_parquet($1)", [pattern]
    ).fetchone()
    if (count, distinct) != (len(rows), len({row["url"] for row in rows})):
        problems.add("DuckDB and pyarrow differ", f"{count} and {len(rows)} rows")
    return rows


def judge_rows(rows, records, problems):
    urls = Counter(row["url"] for row in rows)
    for url, times in urls.items():
        if times > 1:
            problems.add("twice in the tables", f"{url}: {times} times")
    for url in records.keys() - urls.keys():
        problems.add("only in the WARC", url)
    for row in rows:
        record = records.get(row["url"])
        if record is None:
            problems.add("only in the tables", row["url"])
        else:
            judge_row(row, record, problems)


def judge_row(row, record, problems):
    expected = {
        "status": record.status,
        "digest": record.digest,
        "bytes_body": record.told[0],
        "duplicate_of": record.refers_to,
    }
    for column, value in expected.items():
        if row[column] != value and same_digest(row[column]) != same_digest(value):
            problems.add(f"{column} differs", f"{row['url']}: {row[column]} here, {value} in the WARC")
    if (row["warc_file"], row["warc_offset"]) != record.place:
        problems.add("wrong place", f"{row['url']} at {record.place}")


def same_digest(value):
    """Digests compare by value: base 32 in WARC headers, hexadecimal elsewhere."""
    if not isinstance(value, str):
        return value
    text = value.removeprefix("sha1:")
    return base64.b32decode(text).hex() if len(text) == 32 else text


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    problems = Problems()
    records, around = read_warcs(folder / "warc", problems)
    warcio_check(folder / "warc", problems)
    judge_warcs(records, around, problems)
    rows = read_tables(folder / "pages", problems)
    judge_rows(rows, records, problems)
    for url, record in sorted(records.items()):
        print(url, record.status, *record.told, record.kind, sep="\t")
    return problems.close()


if __name__ == "__main__":
    sys.exit(main())
