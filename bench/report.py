"""Rows out of runs, and the table in its three forms: text, JSON, Markdown."""

import json
from pathlib import Path

from measure import best

RESULTS = Path(__file__).resolve().parent / "results" / "latest.json"


def row(crawler, scenario, runs):
    """The best run stands for the crawler; what the others cost is told beside it."""
    run = best(runs)
    counts, pages = run.counts, run.counts["pages_complete"]
    return {
        "crawler": crawler.name, "title": crawler.title, "missing": None,
        "scenario": scenario.key, "about": scenario.about,
        "cpu_s": run.cpu_s, "cpu_per_1000": run.cpu_per_1000 if pages else None,
        "cpu_per_1000_of_all_runs": [each.cpu_per_1000 for each in runs if each.pages_done],
        "cpu_per_1000_requests": run.cpu_s * 1000 / max(counts["requests"], 1),
        "wall_s": run.wall_s, "rss_mb": run.rss_mb,
        "pages": pages, "reachable": run.pages, "complete_percent": 100 * run.complete,
        "requests": counts["requests"],
        "requests_per_page": counts["requests"] / max(pages, 1),
        "asked_twice": counts["repeated"], "false_links": counts["false_links"],
        "wrong_urls": counts["unknown"] + counts["bad"], "violations": counts["violations"],
        "connections": counts["connections"], "open_connections": run.open_connections,
        "exit_code": run.exit_code, "timed_out": run.timed_out,
        "command": run.command, "log": run.log,
    }


def missing(name, why):
    return {"crawler": name, "title": name, "missing": why, "scenario": None}


def one_line(run):
    line = (f"{run.cpu_per_1000:.3f} s CPU per 1,000 pages, {run.wall_s:.1f} s, "
            f"{run.rss_mb:.0f} MB, {100 * run.complete:.2f} % of the pages")
    return line + ending(run.exit_code, run.timed_out)


def ending(exit_code, timed_out):
    if timed_out:
        return ", TIMED OUT"
    return f", EXIT {exit_code}" if exit_code else ""


def spread(row):
    costs = row["cpu_per_1000_of_all_runs"]
    return f"best of {len(costs)}: {min(costs):.3f} to {max(costs):.3f}" if len(costs) > 1 else ""


HEADS = ["crawler", "scenario", "CPU s/1k", "x weir", "wall s", "RSS MB", "pages %", "req/page",
         "twice", "false", "wrong", "robots", "conns", ""]


COUNTS = ["asked_twice", "false_links", "wrong_urls", "violations", "connections"]


def cells(row, weir):
    """One row as text. `weir` is weir's row of the same scenario, if there is one."""
    cpu, base = row["cpu_per_1000"], weir and weir["cpu_per_1000"]
    return [
        row["title"], row["scenario"],
        f"{cpu:.3f}" if cpu else "-",
        f"{cpu / base:.2f}" if cpu and base else "-",
        f"{row['wall_s']:.1f}", f"{row['rss_mb']:.1f}", f"{row['complete_percent']:.2f}",
        f"{row['requests_per_page']:.3f}",
        *(str(row[key]) for key in COUNTS),
        (spread(row) + ending(row["exit_code"], row["timed_out"])).lstrip(", "),
    ]


def lines(rows):
    weir = {row["scenario"]: row for row in rows if row["crawler"] == "weir"}
    return [cells(row, weir.get(row["scenario"])) for row in rows if not row["missing"]]


def text(rows, verdicts, notes):
    table = [HEADS, *lines(rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADS))]
    out = ["  ".join(pad(n, cell, widths[n]) for n, cell in enumerate(line)).rstrip()
           for line in table]
    out += [f"{row['crawler']}: NOT THERE: {row['missing']}" for row in rows if row["missing"]]
    out += ["", f"{notes['when']}, {notes['machine']}, load {notes['load']}"
            + (", QUICK: a tenth of the pages" if notes["quick"] else ""), ""]
    out += [f"{v.result:12}  {v.figure}: {v.numbers}" for v in verdicts]
    return "\n".join(out)


def pad(column, cell, width):
    return cell.ljust(width) if column in (0, 1, len(HEADS) - 1) else cell.rjust(width)


def markdown(rows, verdicts, notes):
    out = [f"Measured {notes['when']} on {notes['machine']}.", ""]
    out += ["| " + " | ".join(HEADS) + " |", "|" + " --- |" * len(HEADS)]
    out += ["| " + " | ".join(line) + " |" for line in lines(rows)]
    out += ["", *(f"- {row['crawler']}: not there: {row['missing']}" for row in rows
                  if row["missing"])]
    out += ["", "| | figure | measured |", "| --- | --- | --- |"]
    out += [f"| {v.result} | {v.figure} | {v.numbers} |" for v in verdicts]
    return "\n".join(out) + "\n"


def save(rows, verdicts, notes, markdown_file):
    RESULTS.parent.mkdir(exist_ok=True)
    whole = {**notes, "rows": rows, "figures": [vars(v) for v in verdicts]}
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n")
    if markdown_file:
        Path(markdown_file).write_text(markdown(rows, verdicts, notes))
