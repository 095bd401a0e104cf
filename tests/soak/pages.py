"""Every page once in the WARC files and once in the tables, as the web has it."""

import base64
import hashlib
from collections import defaultdict
from dataclasses import dataclass

import pyarrow.parquet
from verdict import Verdict
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

COLUMNS = ["url", "status", "digest", "bytes_body", "duplicate_of", "warc_file", "warc_offset"]
AROUND = ("request", "metadata")


@dataclass
class Record:
    url: str
    kind: str
    status: int
    digest: str
    refers_to: str | None
    # Length and SHA-1 of the body with its content coding undone; of a revisit those of the page it refers to.
    body: tuple
    place: tuple


class Archive:
    """All records of the WARC files of several folders, and what is wrong with the files themselves."""

    def __init__(self):
        self.records = defaultdict(list)
        self.around = defaultdict(int)
        self.damaged, self.digests = [], []

    def read(self, folder):
        for path in sorted((folder / "warc").glob("*")):
            try:
                self._read_file(folder.parent.name, path)
            except (ArchiveLoadFailed, EOFError, OSError, ValueError) as why:
                self.damaged.append(f"{path}: {why}")

    def _read_file(self, machine, path):
        if not path.name.endswith(".warc.gz"):
            raise ValueError("no WARC file by its name")
        with path.open("rb") as stream:
            archive = ArchiveIterator(stream, check_digests=True)
            for record in archive:
                self._read_record(record, archive, machine, path)
            if stream.tell() != path.stat().st_size:
                raise ValueError("there is a rest after the last record")

    def _read_record(self, record, archive, machine, path):
        head = record.rec_headers
        url = head.get_header("WARC-Target-URI")
        if record.rec_type in ("response", "revisit"):
            body = record.content_stream().read()
            self.records[url].append(Record(
                url, record.rec_type, int(record.http_headers.get_statuscode()), hexadecimal(head.get_header("WARC-Payload-Digest")),
                head.get_header("WARC-Refers-To-Target-URI"), (len(body), hashlib.sha1(body).hexdigest()),
                # Asking for the offset skips what is left of the record, so it comes last.
                (machine, path.name, archive.get_record_offset())))
        else:
            record.raw_stream.read()
            if record.rec_type != "warcinfo":
                self.around[record.rec_type, url] += 1
        # A revisit has no body that its digest could be compared with; `resolve` looks at the page it refers to.
        if record.rec_type != "revisit" and record.digest_checker.passed is not True:
            self.digests.append(f"{record.rec_type} of {url} in {path.name}: {record.digest_checker.problems or 'has none'}")

    def resolve(self):
        """Gives revisits the body of the page they refer to; those that refer to nothing."""
        firsts = {(record.place[0], record.url, record.digest): record
                  for records in self.records.values() for record in records if record.kind == "response"}
        lost = []
        for records in self.records.values():
            for record in (record for record in records if record.kind == "revisit"):
                first = firsts.get((record.place[0], record.refers_to, record.digest))
                if first is None:
                    lost.append(f"{record.url} refers to {record.refers_to}")
                else:
                    record.body = first.body
        return lost


def read_rows(folder, damaged):
    """The rows of all tables of a folder, each with the machine it is from."""
    rows = []
    for path in sorted((folder / "pages").glob("*")):
        try:
            pyarrow.parquet.read_table(path)  # All columns must be readable, not only those that are compared.
            rows += pyarrow.parquet.read_table(path, columns=COLUMNS).to_pylist()
        except (pyarrow.ArrowException, OSError, ValueError) as why:
            damaged.append(f"{path}: {why}")
    return [(folder.parent.name, row) for row in rows]


def judge_pages(run, folders, truth):
    archive = Archive()
    rows = defaultdict(list)
    for name in folders:
        archive.read(run / name)
        for machine, row in read_rows(run / name, archive.damaged):
            rows[row["url"]].append((machine, row))
    lost_revisits = archive.resolve()
    wanted = {page["url"]: page for page in truth if page["allowed"]}
    return [
        lost(wanted, archive.records, rows),
        found("pages kept otherwise than the web has them", wrong(wanted, archive.records, rows)),
        found("records twice in the WARC files", [url for url, kept in archive.records.items() if len(kept) > 1]),
        found("rows twice in the tables", [url for url, kept in rows.items() if len(kept) > 1]),
        found("rows without a record", [url for url in rows if url not in archive.records]),
        found("records without a row", [url for url in archive.records if url not in rows]),
        found("rows that do not agree with their record", disagreeing(archive.records, rows)),
        found("requests and metadata without a page, or not one each", unaccompanied(archive)),
        found("revisits that refer to nothing", lost_revisits),
        found("kept though the web does not have it, or forbids it", [url for url in archive.records.keys() | rows.keys() if url not in wanted]),
        found("records whose digest is wrong (as warcio check)", archive.digests),
        found("files that cannot be read to their end", archive.damaged),
    ]


def found(what, cases):
    cases = sorted(cases)
    return Verdict(what, len(cases), details=cases)


def lost(wanted, records, rows):
    cases = sorted(url for url in wanted if url not in records or url not in rows)
    if not wanted:  # Nothing can be said of a web without pages.
        cases = ["the web has none"]
    return Verdict("pages lost", len(cases), f"of {len(wanted):,}", cases)


def wrong(wanted, records, rows):
    for url, page in wanted.items():
        told = (page["status"], page["bytes"], page["sha1"])
        for record in records.get(url, []):
            if (record.status, *record.body) != told:
                yield f"{url}: {(record.status, *record.body)} and not {told}"
        for _, row in rows.get(url, []):
            if (row["status"], row["bytes_body"]) != told[:2]:
                yield f"{url}: {row['status']}, {row['bytes_body']} bytes in the table and not {told[:2]}"


def disagreeing(records, rows):
    for url, kept in rows.items():
        places = {record.place: record for record in records.get(url, [])}
        for machine, row in kept if places else []:
            record = places.get((machine, row["warc_file"], row["warc_offset"]))
            if record is None:
                yield f"{url}: nothing of it at {row['warc_file']} {row['warc_offset']} of {machine}"
            elif (row["status"], hexadecimal(row["digest"]), row["duplicate_of"]) != (record.status, record.digest, record.refers_to):
                yield f"{url}: {row['status']} {row['digest']} {row['duplicate_of']} in the table"


def unaccompanied(archive):
    for url, kept in archive.records.items():
        for kind in AROUND:
            if archive.around.pop((kind, url), 0) != len(kept):
                yield f"{kind} of {url}"
    for kind, url in archive.around:
        yield f"{kind} of {url}"


def hexadecimal(digest):
    """Digests compare by value: base 32 in WARC headers, hexadecimal elsewhere."""
    text = (digest or "").removeprefix("sha1:")
    return base64.b32decode(text).hex() if len(text) == 32 else text
