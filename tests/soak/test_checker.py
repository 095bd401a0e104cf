"""That the checker finds what it is there to find: a real run with one planted fault each."""

import json
import shutil

import checker
import pyarrow
import pyarrow.parquet
import pytest
from warcio.archiveiterator import ArchiveIterator


@pytest.fixture
def run(calm, tmp_path):
    """A copy that may be spoiled."""
    shutil.copytree(calm, tmp_path / "run")
    return tmp_path / "run"


def broken(run):
    """Promises that the checker calls broken, and how often."""
    _, verdicts, _ = checker.judge(run)
    return {verdict.what: verdict.count for verdict in verdicts if not verdict.is_good}


def finds(run, what, count=1):
    found = broken(run)
    assert found.get(what) == count, found


def warc(run):
    return max((run / "crawl/out/warc").glob("*.warc.gz"), key=lambda path: path.stat().st_size)


def parts(path):
    """(kind, URL, begin, end) of each record: members of the file."""
    found = []
    with path.open("rb") as stream:
        archive = ArchiveIterator(stream)
        for record in archive:
            url, kind = record.rec_headers.get_header("WARC-Target-URI"), record.rec_type
            record.raw_stream.read()
            begin = archive.get_record_offset()
            found.append((kind, url, begin, begin + archive.get_record_length()))
    return found


def tables(run):
    return sorted((run / "crawl/out/pages").glob("*.parquet"))


def rewrite(path, change):
    table = pyarrow.parquet.read_table(path)
    pyarrow.parquet.write_table(change(table), path)


def last_response(path):
    return [part for part in parts(path) if part[0] == "response"][-1]


def wire(run, readings):
    (run / "wire.csv").write_text("".join(f"{at},{count}\n" for at, count in readings))


def test_what_is_right_passes(run):
    assert broken(run) == {}


def test_a_removed_record(run):
    path = warc(run)
    kind, url, begin, end = last_response(path)
    data = path.read_bytes()
    path.write_bytes(data[:begin] + data[end:])
    finds(run, "pages lost")
    finds(run, "rows without a record")
    finds(run, "requests and metadata without a page, or not one each", 2)


def test_a_doubled_record(run):
    path = warc(run)
    _, _, begin, end = last_response(path)
    data = path.read_bytes()
    path.write_bytes(data + data[begin:end])
    finds(run, "records twice in the WARC files")


def test_a_doubled_row(run):
    rewrite(tables(run)[0], lambda table: pyarrow.concat_tables([table, table.slice(0, 1)]))
    finds(run, "rows twice in the tables")


def test_a_removed_row(run):
    rewrite(tables(run)[0], lambda table: table.slice(1))
    finds(run, "pages lost")
    finds(run, "records without a row")


def test_a_row_that_points_elsewhere(run):
    def move(table):
        offsets = table["warc_offset"].to_pylist()
        at = table.column_names.index("warc_offset")
        offsets[0] += 1
        return table.set_column(at, table.schema.field(at), pyarrow.array(offsets, table.schema.field(at).type))

    rewrite(tables(run)[0], move)
    finds(run, "rows that do not agree with their record")


def test_a_missing_page(run):
    with (run / "truth.jsonl").open() as file:
        page = json.loads(file.readline())
    with (run / "truth.jsonl").open("a") as file:
        file.write(json.dumps(page | {"url": page["url"] + "never-fetched"}) + "\n")
    finds(run, "pages lost")


def test_another_body_than_the_web_has(run):
    lines = (run / "truth.jsonl").read_text().splitlines()
    page = json.loads(lines[0])
    lines[0] = json.dumps(page | {"sha1": "0" * 40})
    (run / "truth.jsonl").write_text("\n".join(lines) + "\n")
    assert broken(run)["pages kept otherwise than the web has them"] >= 1


def test_a_page_that_is_not_of_the_web(run):
    lines = (run / "truth.jsonl").read_text().splitlines()
    (run / "truth.jsonl").write_text("\n".join(lines[1:]) + "\n")
    finds(run, "kept though the web does not have it, or forbids it")


def test_a_spoiled_byte(run):
    path = warc(run)
    _, _, begin, end = last_response(path)
    data = bytearray(path.read_bytes())
    data[(begin + end) // 2] ^= 0xFF
    path.write_bytes(data)
    found = broken(run)
    assert "files that cannot be read to their end" in found or "records whose digest is wrong (as warcio check)" in found, found


def test_a_torn_end(run):
    path = warc(run)
    path.write_bytes(path.read_bytes()[:-20])
    assert broken(run)


def test_a_second_above_the_limit(run):
    """At the limit all the time, but for one second with a tenth more; of seconds that do not overlap two have part in it."""
    limit = json.loads((run / "run.json").read_text())["limit"]
    at, count, readings = 0.0, 0, []
    while at < 20:
        readings.append((round(at, 3), int(count)))
        count += limit * 0.02 * (1.1 if 10 <= at < 11 else 1.0)
        at += 0.02
    wire(run, readings)
    finds(run, "seconds above the limit, on the wire", 2)


def test_a_wire_that_was_not_read(run):
    wire(run, [(0, 0), (5, 1_000), (5.02, 1_001)])
    finds(run, "readings of the wire too far apart to judge it")


def test_a_forbidden_page_that_was_asked_for(run):
    counts = json.loads((run / "counts.json").read_text())
    counts["total"]["violations"] = 2
    (run / "counts.json").write_text(json.dumps(counts))
    finds(run, "pages asked for that robots.txt forbids", 2)


@pytest.mark.parametrize(("role", "known", "is_flat"), [("d1", 0, False), ("scheduler", 0, False), ("scheduler", 60_000, True)])
def test_memory_that_grows(run, role, known, is_flat):
    """Some megabytes more than noise would explain are a fault, unless there are URLs that explain them."""
    lines = [[second, role, 7, 50_000_000 + 50_000 * second, known * second // 900] for second in range(900)]
    (run / "memory.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    truth = (run / "truth.jsonl").read_text().splitlines()[0]
    several = [json.dumps(json.loads(truth) | {"url": f"http://more/{n}", "allowed": False}) for n in range(60_000)]
    with (run / "truth.jsonl").open("a") as file:
        file.write("\n".join(several) + "\n")
    assert (broken(run).get(f"memory of {role} grows") is None) == is_flat


def test_a_process_that_ended_by_itself(run):
    with (run / "faults.jsonl").open("a") as file:
        file.write(json.dumps({"at": 1, "what": "problem", "why": "ended by itself", "code": 101}) + "\n")
    finds(run, "processes that ended or went on as they should not")
