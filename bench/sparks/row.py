"""One row of the table: a crawl on Spark and what came of it."""

from dataclasses import dataclass, field

from clusters.table import Table
from figures import verdict


@dataclass
class Row:
    name: str
    pages: int
    layers: int
    seconds: float
    # By kind of process, as in `cpu.py`.
    cpu_s: dict = field(default_factory=dict)
    # What is wrong with it; nothing if every page came exactly once.
    faults: list = field(default_factory=list)
    # Of these seconds, those in rounds: the rest is the start and the end of Spark. None where it is not told.
    crawl_s: float = None
    # URLs that were asked for more than once.
    twice: int = 0
    # Bytes by folder of --out.
    kept: dict = field(default_factory=dict)
    # The part of the processors that other machines on the same host had while it ran.
    stolen: float = 0.0

    @property
    def pages_s(self):
        return self.pages / self.seconds

    @property
    def crawl_pages_s(self):
        return self.pages / (self.crawl_s or self.seconds)

    def cells(self, baseline):
        ratio = self.pages_s / baseline.pages_s if baseline and baseline.pages else float("nan")
        return [self.name, str(self.pages), str(self.layers), f"{self.seconds:.1f}",
                f"{self.pages_s:.1f}", f"{ratio:.2f}", f"{self.crawl_pages_s:.1f}", f"{sum(self.cpu_s.values()):.0f}",
                f"{self.stolen:.0%}"]


def table(title, rows, baseline):
    heads = ["", "pages", "layers", "seconds", "pages/s", "x ParaCA", "in rounds", "CPU s", "stolen"]
    return Table(title, heads, [row.cells(baseline) for row in rows])


def cpu_table(rows, kinds):
    cells = [[row.name, *(f"{row.cpu_s.get(kind, 0):.1f}" for kind in kinds)] for row in rows]
    return Table("CPU seconds of each", ["", *kinds], cells)


def kept_table(rows):
    """What a page costs on the disk."""
    rows = [row for row in rows if row.kept and row.pages]
    folders = sorted({folder for row in rows for folder in row.kept})
    cells = [[row.name, *(f"{row.kept.get(folder, 0) / row.pages:.0f}" for folder in folders)] for row in rows]
    return Table("Bytes a page under --out", ["", *folders], cells)


def faults(counts, truth, fetched):
    """By the server's own account, and by what the crawler says it fetched."""
    pages = {line["url"] for line in truth if line["kind"] == "page"}
    found = {
        "pages never handed over": len(pages) - counts["pages_complete"],
        "URLs asked for more than once": counts["repeated"],
        "requests for false links": counts["false_links"],
        "requests for unknown URLs": counts["unknown"],
        "forbidden requests": counts["violations"],
        "pages not reported": len(pages - set(fetched)),
        "pages reported twice": len(fetched) - len(set(fetched)),
        "reported URLs that are no pages": len(set(fetched) - pages),
    }
    return [f"{number} {what}" for what, number in found.items() if number]


def judge_whole(row):
    return verdict(not row.faults, f"every page exactly once ({row.name})",
                   "; ".join(row.faults) or f"{row.pages} pages")


def judge_speed(ours, baseline):
    ratio = ours.pages_s / baseline.pages_s
    return verdict(ratio >= 10, "at least 10 times the pages/s of ParaCA's scheme, start-up included", f"{ratio:.1f}")


def judge_ahead(ahead, layers):
    """Running ahead beside the same crawl without."""
    speed = ahead.crawl_pages_s / layers.crawl_pages_s
    fewer = layers.layers / ahead.layers
    waste = ahead.twice / max(1, ahead.pages)
    return [
        verdict(fewer >= 2, "at least 2 times fewer layers by running ahead", f"{layers.layers} and {ahead.layers}"),
        verdict(speed >= 1.5, "at least 1.5 times the speed by running ahead", f"{speed:.2f}"),
        verdict(waste <= 0.05, "at most 5 % of fetches wasted by running ahead", f"{100 * waste:.1f} %"),
    ]


def judge_workers(one, two):
    speed = two.crawl_pages_s / one.crawl_pages_s
    return verdict(speed >= 1.8, "at least 1.8 times from one worker to two, answers after 50 ms", f"{speed:.2f}")
