"""A thousand sites: the page stays quick, and costs little."""

import gzip
import re
import time
import zlib

import pytest
import requests
from crawl import Weir, web
from window import Window

SITES = 1_000
WATCHED_S = 30
STREAM_S = 20
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({ type: 'layout-shift', buffered: true });
"""


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("thousand")
    with web("--hosts", str(SITES), "--pages", "200", "--page-bytes", "3000", "--links", "8", "--latency", "300ms") as it:
        seeds = folder / "seeds.txt"
        seeds.write_text("\n".join(it.seeds) + "\n")
        flags = ["--seeds", seeds, "--allow-private", "--limit", "1MB/s", "--within", "2h", "--concurrency", "1000"]
        with Weir("crawl", flags, folder / "out") as weir:
            weir.until("all sites are known and have begun",
                       lambda state: len(state["sites"]) == SITES and state["totals"]["pages"] > SITES / 10, 120)
            yield weir


@pytest.mark.long
def test_the_page_stays_quick(browser, crawl, shots):
    window = Window(browser, crawl, shots)
    window.page.evaluate(SHIFTS)
    window.page.wait_for_function("least => performance.now() > least", arg=WATCHED_S * 1_000, timeout=WATCHED_S * 2_000)
    window.shot("thousand")
    took = window.page.evaluate("performance.getEntriesByName('weir-update').map((entry) => entry.duration)")
    shifted = sum(window.page.evaluate("window.shifts"))
    rows = window.at("site-row").count()
    print(f"\nupdates: {len(took)}, mean {sum(took) / len(took):.1f} ms, longest {max(took):.1f} ms;"
          f" layout shift {shifted:.4f}; {rows} rows in the document")
    assert len(took) >= 5
    assert rows < 100, "rows that nobody sees are not there"
    assert sum(took) / len(took) < 50
    assert shifted < 0.01
    assert window.wrong == []
    window.close()


@pytest.mark.long
def test_the_stream_is_small(crawl):
    """As a browser gets it."""
    received, whole, told, end = 0, 0, 0, time.monotonic() + STREAM_S
    headers = {"Accept-Encoding": "gzip, deflate, br"}
    seq = crawl.state()["seq"]
    unpacker = zlib.decompressobj(wbits=31)
    with requests.get(crawl.url + f"/api/events?seq={seq}", headers=headers, stream=True, timeout=30) as answer:
        while time.monotonic() < end:
            part = answer.raw.read1(1 << 16)
            plain = unpacker.decompress(part)
            received, whole, told = received + len(part), whole + len(plain), told + plain.count(b"event: state")
        assert answer.headers["Content-Encoding"] == "gzip"
    print(f"\nevents: {received / STREAM_S / 1000:.1f} KB/s ({whole / STREAM_S / 1000:.1f} KB/s unpacked), {told / STREAM_S:.2f} a second")
    assert told >= 5
    assert 0 < received / STREAM_S < 200_000


@pytest.mark.long
def test_the_first_view_is_small(crawl):
    headers = {"Accept-Encoding": "gzip"}

    def packed(path):
        with requests.get(crawl.url + path, headers=headers, stream=True, timeout=30) as answer:
            assert answer.status_code == 200 and answer.headers["Content-Encoding"] == "gzip"
            return answer.raw.read(decode_content=False)

    page = packed("/")
    text = gzip.decompress(page).decode()
    files = {path: len(packed(path)) for path in set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', text))}
    whole = len(page) + sum(files.values())
    print(f"\nfirst view: {whole / 1000:.1f} KB gzipped in {len(files) + 1} files, {len(page) / 1000:.1f} KB of it the page with {SITES} sites")
    assert len(files) > 10
    assert whole < 100_000
