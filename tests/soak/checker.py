"""Whether weir has kept its word in a run: judges what `soak.py` left, and shares no code with what made it.

    checker.py RUN… [--report FILE]

WARC files are read by warcio, tables by pyarrow; what had to be there is told by the web's own account, what came over the wire
by the kernel's counters. Exit code 1 if a promise is broken.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from capped import judge_cap
from memory import judge_memory
from pages import judge_pages
from verdict import Verdict, markdown, table

# In the server's account. All must be 0.
MANNERS = {"violations": "pages asked for that robots.txt forbids", "false_links": "asked for what is no link",
           "unknown": "asked for what nobody linked", "bad": "requests that were no good HTTP"}


def judge(folder):
    """The verdicts on one run, and its figures."""
    run = json.loads((folder / "run.json").read_text())
    lines = [json.loads(line) for line in (folder / "faults.jsonl").open()]
    truth = [json.loads(line) for line in (folder / "truth.jsonl").open()]
    counts = json.loads((folder / "counts.json").read_text())
    verdicts = judge_pages(folder, run["folders"], truth)
    verdicts += judge_cap(folder / "wire.csv", run["limit"])
    verdicts += judge_manners(counts["total"])
    verdicts += judge_memory(folder / "memory.jsonl", run, len(truth))
    verdicts += judge_processes(lines, run)
    return run, verdicts, figures(run, lines, counts["total"])


def judge_manners(total):
    return [Verdict(what, total[key]) for key, what in MANNERS.items()]


def judge_processes(lines, run):
    problems = [line for line in lines if line["what"] == "problem"]
    own = [line for line in lines if line["what"] == "the run is at fault"]
    return [Verdict("processes that ended or went on as they should not", len(problems), details=list(map(briefly, problems))),
            Verdict("the crawl did not come to its end", int(run["runs"] is None)),
            Verdict("faults that could not be made (the run's own failure)", len(own), details=list(map(briefly, own)))]


def briefly(line):
    return json.dumps({key: value for key, value in line.items() if key not in ("time", "what")})


def figures(run, lines, total):
    """What is told and not judged."""
    made = Counter(line["kind"] for line in lines if line["what"] == "fault")
    ends = [line for line in lines if line["what"] == "run ended"]
    told = {
        "faults were made for": f"{run['faults_s'] / 60:.1f} minutes, the whole took {run['whole_s'] / 60:.1f}",
        "limit": f"{run['limit']:,} bytes a second, before and after the faults the same",
        "requests at the web": f"{total['requests']:,}",
        "URLs asked for more than once": f"{total['repeated']:,}",
        "most requests at a time at one host, as the host saw it": total["peak_requests"],
        "runs until nothing was given up": run["runs"],
        "URLs given up at the end of each run": ", ".join(str(line["given_up"]) for line in ends),
    }
    told |= {f"fault: {kind}": made[kind] for kind in sorted(set(run["planned"]) | set(made))}
    told |= {f"fault: {kind}": "LEFT OUT, it cannot be made here" for kind in run["without"]}
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--report", type=Path)
    args = parser.parse_args()
    judged = [judge(folder) for folder in args.runs]
    for run, verdicts, told in judged:
        print("\n" + table(run, verdicts, told))
    if args.report:
        args.report.parent.mkdir(parents=True, exist_ok=True)
        args.report.write_text("\n".join(markdown(run, verdicts, told) for run, verdicts, told in judged))
    broken = [verdict.what for _, verdicts, _ in judged for verdict in verdicts if not verdict.is_good]
    print("\nall promises kept" if not broken else "\nBROKEN: " + "; ".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
