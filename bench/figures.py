"""The figures weir has to reach, and whether it does."""

from dataclasses import dataclass

PASS, SHORT, UNKNOWN, LEFT_OUT = "PASS", "FALLS SHORT", "NOT MEASURED", "LEFT OUT"


@dataclass
class Verdict:
    result: str
    figure: str
    numbers: str


def all_reached(verdicts):
    """What was left out on request is nobody's failure; what could not be measured is."""
    return all(verdict.result in (PASS, LEFT_OUT) for verdict in verdicts)


def judge(rows, chosen, wanted):
    """One verdict a figure, in the order of the issue that set them."""
    table = Table(rows, {crawler.name for crawler in chosen}, {s.key: s for s in wanted})
    return [
        *against_peer(table, "wget2", 0.5, 0.4),
        *against_peer(table, "spider", 0.25, 0.2),
        storing(table),
        *[manners(table, key) for key in ("one", "many", "store", "open")],
        memory(table, "one", 60),
        memory(table, "many", 60),
        memory(table, "open", 120),
    ]


class Table:
    def __init__(self, rows, crawlers, scenarios):
        self.rows = {(row["crawler"], row["scenario"]): row for row in rows if not row["missing"]}
        self.crawlers = crawlers
        self.scenarios = scenarios

    def get(self, *keys):
        """The rows, or the verdict's result that stands in for them."""
        found = [self.rows.get(key) for key in keys]
        if all(found):
            return found
        asked = all(name in self.crawlers and key in self.scenarios for name, key in keys)
        return UNKNOWN if asked else LEFT_OUT


def against_peer(table, peer, most, aim):
    return [one_peer(table, peer, key, most, aim) for key in ("one", "many")]


def one_peer(table, peer, key, most, aim):
    figure = f"CPU at most {most} of {peer}'s ({key}), aim {aim}"
    rows = table.get(("weir", key), (peer, key))
    if isinstance(rows, str):
        return Verdict(rows, figure, f"needs both weir and {peer}")
    weir, other = (row["cpu_per_1000"] for row in rows)
    if not weir or not other:
        return Verdict(UNKNOWN, figure, "a run without a single page")
    share = weir / other
    return verdict(share <= most, figure, f"{weir:.3f} / {other:.3f} = {share:.2f}")


def storing(table):
    figure = "CPU with WARC and Parquet at most 2.5 times that without"
    rows = table.get(("weir", "one"), ("weir", "store"))
    if isinstance(rows, str):
        return Verdict(rows, figure, "needs weir's runs one and store")
    bare, storing = (row["cpu_per_1000"] for row in rows)
    if not bare or not storing:
        return Verdict(UNKNOWN, figure, "a run without a single page")
    return verdict(storing <= 2.5 * bare, figure, f"{storing:.3f} / {bare:.3f} = {storing / bare:.2f}")


def manners(table, key):
    # Where a host has two pages, its robots.txt alone is half a request a page.
    most = 1.035 if key != "open" else None
    figure = f"every page, none twice, no wrong URL, robots obeyed ({key})"
    if most:
        figure += f", at most {most} requests a page"
    rows = table.get(("weir", key))
    if isinstance(rows, str):
        return Verdict(rows, figure, f"needs weir's run {key}")
    row = rows[0]
    wrong = row["asked_twice"] + row["false_links"] + row["wrong_urls"] + row["violations"]
    good = row["pages"] == row["reachable"] and wrong == 0 and row["exit_code"] == 0
    few = most is None or row["requests_per_page"] <= most
    numbers = (f"{row['complete_percent']:.2f} %, {row['requests_per_page']:.3f} requests a page, "
               f"{row['asked_twice']} twice, {row['false_links']} false, {row['wrong_urls']} wrong, "
               f"{row['violations']} forbidden, exit {row['exit_code']}")
    return verdict(good and few, figure, numbers)


def memory(table, key, most_mb):
    needed = table.scenarios[key].must_open if key in table.scenarios else 0
    figure = f"peak RSS at most {most_mb} MB ({key})"
    rows = table.get(("weir", key))
    if isinstance(rows, str):
        return Verdict(rows, figure, f"needs weir's run {key}")
    rss, opened = rows[0]["rss_mb"], rows[0]["open_connections"]
    numbers = f"{rss:.1f} MB" + (f", {opened} connections open at once" if needed else "")
    return verdict(rss <= most_mb and opened >= needed, figure, numbers)


def verdict(reached, figure, numbers):
    return Verdict(PASS if reached else SHORT, figure, numbers)
