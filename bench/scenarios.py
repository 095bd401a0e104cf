"""What is crawled. All pages are about 27 KB with 33 links, and a robots.txt forbids /private/."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Scenario:
    key: str
    about: str
    hosts: int
    pages_each: int
    # Connections every crawler may use: to one host, and to all.
    per_host: int
    total: int
    latency: str = "0s"
    # What weir keeps besides its frontier. The peers keep nothing.
    store: str = "none"
    # What weir reads in pages besides their links; where it keeps nothing, nothing.
    content: str = "none"
    weir_only: bool = False
    # Connections that must be open at once for the run to mean anything.
    must_open: int = field(default=0)

    @property
    def pages(self):
        return self.hosts * self.pages_each

    def is_for(self, crawler):
        return crawler.name == "weir" or not self.weir_only

    def site_flags(self):
        return ["--hosts", str(self.hosts), "--pages", str(self.pages_each),
                "--page-bytes", "27000", "--links", "33", "--latency", self.latency, "--robots"]


def scenarios(quick):
    """In the order they run. `quick` is a tenth of the pages, for trying things out."""
    one, hosts = (2_000, 20) if quick else (20_000, 200)
    pages = f"{one:,} pages"
    return [
        Scenario("one", f"1 host, {pages}", 1, one, 16, 64),
        Scenario("many", f"{hosts} hosts, {pages}", hosts, 100, 16, 64),
        Scenario("store", f"1 host, {pages}, WARC and Parquet", 1, one, 16, 64,
                 store="warc,parquet", weir_only=True),
        Scenario("content", f"1 host, {pages}, WARC and Parquet, main text and attributes read", 1, one, 16, 64,
                 store="warc,parquet", content="text", weir_only=True),
        # Three requests a host, each held back long enough for all hosts to be waited for at once.
        Scenario("open", "3,200 hosts, 3,200 connections", 3_200, 2, 1, 3_200, latency="5s",
                 weir_only=True, must_open=3_200),
    ]
