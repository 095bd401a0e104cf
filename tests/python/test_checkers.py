"""That the checkers find what they are there to find: outputs with one planted fault each."""

import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import pyarrow
import pyarrow.parquet
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import closure
import output

BODY = b"<p>hello"


def write_warc(path, urls):
    """A response for the first URL and revisits of it for the others; returns their places."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "test"}))
        places = []
        for number, url in enumerate(urls):
            places.append(file.tell())
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], "HTTP/1.1")
            if number == 0:
                page = writer.create_warc_record(url, "response", io.BytesIO(BODY), http_headers=http)
                first = page
                writer.write_record(page)
                digest = page.rec_headers.get_header("WARC-Payload-Digest")
            else:
                date = first.rec_headers.get_header("WARC-Date")
                page = writer.create_revisit_record(url, digest, urls[0], date, http_headers=http)
                writer.write_record(page)
            for kind in ("request", "metadata"):
                block = io.BytesIO(b"GET / HTTP/1.1\r\n\r\n")
                writer.write_record(writer.create_warc_record(url, kind, block))
    return places, digest


def rows_of(urls, places, digest, file):
    rows = []
    for number, (url, place) in enumerate(zip(urls, places)):
        row = dict.fromkeys(output.COLUMNS)
        row |= {"url": url, "status": 200, "digest": digest, "bytes_body": len(BODY)}
        row |= {"warc_file": file, "warc_offset": place}
        row["duplicate_of"] = urls[0] if number else None
        rows.append(row)
    return rows


class Output(unittest.TestCase):
    URLS = ["http://a/", "http://a/1", "http://a/2"]

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "warc").mkdir()
        (self.folder / "pages").mkdir()
        self.warc = self.folder / "warc" / "1.warc.gz"
        places, digest = write_warc(self.warc, self.URLS)
        self.rows = rows_of(self.URLS, places, digest, self.warc.name)

    def judge(self):
        table = pyarrow.Table.from_pylist(self.rows)
        pyarrow.parquet.write_table(table, self.folder / "pages" / "1.parquet")
        told, said = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["output.py", str(self.folder)]):
            with contextlib.redirect_stdout(told), contextlib.redirect_stderr(said):
                code = output.main()
        return code, told.getvalue(), said.getvalue()

    def finds(self, what):
        code, _, said = self.judge()
        self.assertEqual((code, what in said), (1, True), said)

    def test_what_is_right_passes_and_is_told(self):
        code, told, said = self.judge()
        self.assertEqual((code, said), (0, ""))
        sizes = [line.split("\t")[2] for line in told.splitlines()]
        self.assertEqual(sizes, ["8", "8", "8"])

    def test_a_page_twice_in_the_tables(self):
        self.rows.append(self.rows[1])
        self.finds("twice in the tables: http://a/1")

    def test_a_page_missing_in_the_tables(self):
        self.rows.pop()
        self.finds("only in the WARC: http://a/2")

    def test_a_page_missing_in_the_warc(self):
        self.rows.append(self.rows[1] | {"url": "http://a/3"})
        self.finds("only in the tables: http://a/3")

    def test_a_page_twice_in_the_warc(self):
        shutil.copy(self.warc, self.warc.with_name("2.warc.gz"))
        self.finds("twice in the WARC: http://a/")

    def test_a_row_that_points_elsewhere(self):
        self.rows[1]["warc_offset"] += 1
        self.finds("wrong place: http://a/1")

    def test_a_revisit_of_nothing(self):
        data = self.warc.read_bytes()
        start, end = self.rows[0]["warc_offset"], self.rows[1]["warc_offset"]
        self.warc.write_bytes(data[:start] + data[end:])
        self.finds("revisit of nothing: http://a/1")

    def test_a_torn_end(self):
        with self.warc.open("ab") as file:
            file.write(self.warc.read_bytes()[:100])
        self.finds("1.warc.gz")


class Links(unittest.TestCase):
    def links(self, html, related=False):
        return closure.links(html, "http://a/b/c", related)

    def test_places_that_lead_to_pages(self):
        html = """<a href=1></a><map><area href=2></map><iframe src=3></iframe><img src=4>
            <!-- <a href=5> --><script>"<a href=6>"</script><a data-href=7></a>
            <meta http-equiv=Refresh content="5; URL='8'"><link rel=next href=9>"""
        self.assertEqual(sorted(self.links(html)[1]), ["1", "2", "3", "8"])
        self.assertEqual(sorted(self.links(html, related=True)[1]), ["1", "2", "3", "8", "9"])

    def test_entities_and_base(self):
        base, found = self.links('<base href="../d/"><a href="?x=1&amp;y=2">')
        self.assertEqual((base, found), ("http://a/d/", ["?x=1&y=2"]))


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # warcio leaves its spools to the collector
