"""Whether every link in the built book leads somewhere: `check.py --weir PROGRAM FOLDER`.

The book is served on loopback and crawled by weir, which finds the pages that are not there. What stands behind a
`#` is never asked for by a crawler, so that is looked up in the files.
"""

import argparse
import http.server
import json
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

WITHIN_S = 120
# What nobody links to: the page for addresses that are not there.
UNLINKED = {"404.html"}


def faults(book, weir):
    """A line for each link that leads nowhere, and for each page that no link leads to."""
    with served(book) as home, tempfile.TemporaryDirectory() as out:
        rows = crawl(home, weir, out)
    dead = [row for row in rows if row["status"] >= 400]
    lines = [f"{source(home, row['parent'])}: no page {path(home, row['url'])} ({row['status']})" for row in dead]
    reached = {path(home, row["url"]) for row in rows}
    pages = {str(file.relative_to(book)) for file in book.rglob("*.html")}
    lines += [f"{markdown(page)}: no link leads here" for page in sorted(pages - reached - UNLINKED)]
    return lines + dead_anchors(book)


@contextmanager
def served(folder):
    """The address of a server that has the files of a folder, and lists none: a book's readers see no lists."""

    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def list_directory(self, _path):
            self.send_error(404)

        def log_message(self, *_args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def crawl(home, weir, out):
    """The row of each URL of the book. A URL without one was never answered, so it counts as an error of ours."""
    run = [weir, "crawl", home, "-o", out, "--allow-private", "--scope", "host", "--assets", "--traps", "ignore",
           "--content", "none", "--progress", "none"]
    subprocess.run(run, check=True, timeout=WITHIN_S)
    export = [weir, "export", "-q", "-o", out, "--to", "jsonl", "--file", "-"]
    lines = subprocess.run(export, check=True, timeout=WITHIN_S, stdout=subprocess.PIPE, text=True).stdout
    rows = [json.loads(line) for line in lines.splitlines()]
    report = json.loads((Path(out) / "report.json").read_text())
    if report["failed"] != sum(row["status"] >= 400 for row in rows):
        sys.exit(f"the crawl of the book has failures without an answer: {report['failed']} failed")
    return rows


def dead_anchors(book):
    read = {file: read_page(file) for file in sorted(book.rglob("*.html"))}
    found = []
    for file, page in read.items():
        for href in page.hrefs:
            parts = urlsplit(href)
            target = file if not parts.path else (file.parent / unquote(parts.path)).resolve()
            if parts.scheme or parts.netloc or not parts.fragment or target not in read:
                continue
            if unquote(parts.fragment) not in read[target].ids:
                place = f"{target.relative_to(book)}#{parts.fragment}"
                found.append(f"{markdown(str(file.relative_to(book)))}: no place {place}")
    return sorted(set(found))


def read_page(file):
    page = Page()
    page.feed(file.read_text())
    return page


class Page(HTMLParser):
    """The links of a page, and what links may point at in it."""

    def __init__(self):
        super().__init__()
        self.hrefs, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(attrs[key] for key in ("id", "name") if attrs.get(key))
        if tag == "a" and attrs.get("href"):
            self.hrefs.append(attrs["href"])


def source(home, url):
    return markdown(path(home, url)) if url else "the first page"


def path(home, url):
    return unquote(urlsplit(url).path.lstrip("/")) or "index.html"


def markdown(page):
    """The file that a page was made from. The first one is there twice, under both its names."""
    return "README.md" if page == "index.html" else page.removesuffix(".html") + ".md"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weir", required=True)
    parser.add_argument("book", type=Path)
    args = parser.parse_args()
    book = args.book.resolve()
    found = faults(book, args.weir)
    print("\n".join(found) or f"every link of {sum(1 for _ in book.rglob('*.html'))} pages leads somewhere")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
