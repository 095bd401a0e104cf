"""A web on loopback and `weir crawl` on it, as tests of the crawl on Spark need them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from testweb import TestWeb  # noqa: E402

# What may differ between two crawls of the same web: when and how it came, and by which way.
VARIES = {"depth", "parent", "fetched_at", "elapsed_ms", "bytes_wire", "warc_file", "warc_offset",
          "duplicate_of", "near_duplicate_of", "visited_at"}
WITHIN_S = 120
# Executors look here for the package.
PYTHONPATH = {"spark.executorEnv.PYTHONPATH": str(ROOT / "python")}
SMALL = ("--hosts", "12", "--pages", "30", "--cross", "1", "--page-bytes", "3000", "--latency", "20ms")


def program(name):
    """One of the project's programs; the caller has built it."""
    folder = os.environ.get("WEIR_PROGRAMS")
    if not folder:
        target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
        folder = Path(target) / "debug"
    return str(Path(folder) / name)


def web(*flags):
    """`with web("--hosts", "12") as it:` serves until the block ends."""
    return TestWeb(program("weir-testsite"), [*flags])


def weir_crawl(seed, out, *flags):
    """The rows of `weir crawl`, by URL."""
    return rows(weir_rows(seed, out, *flags))


def weir_rows(seed, out, *flags):
    """All rows there are after `weir crawl`."""
    command = [program("weir"), "crawl", seed, "--scope", "any", "--allow-private", "--traps", "ignore",
               "--progress", "none", "-o", str(out), *flags]
    subprocess.run(command, check=True, timeout=WITHIN_S)
    files = sorted((Path(out) / "pages").glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def rows(all_rows):
    """What must be the same however a page was crawled, by URL; a URL that comes twice is an error."""
    found = {}
    for row in all_rows:
        url = row["url"]
        assert url not in found, f"{url} is there twice"
        found[url] = {name: plain(value) for name, value in sorted(row.items()) if name not in VARIES}
    return found


def plain(value):
    """Arrow gives a map as a list of pairs, Spark as a dict, and times with and without a zone."""
    if isinstance(value, list) and value and all(isinstance(pair, tuple) for pair in value):
        value = dict(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


def differences(one, other):
    """In a few words; none if they are the same."""
    told = [f"{url} is only in one of them" for url in sorted(one.keys() ^ other.keys())]
    for url in sorted(one.keys() & other.keys()):
        names = [name for name, value in one[url].items() if other[url].get(name) != value]
        if names:
            pairs = {name: (one[url][name], other[url].get(name)) for name in names}
            told.append(f"{url}: {json.dumps(pairs, default=str)[:300]}")
    return told[:5]
