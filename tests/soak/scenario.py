"""One run: a web, a crawl of it, the faults, the end, and all that the checker needs, in one folder."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import clock
import lab
import plan
import team as teams
from journal import Journal
from monkey import Monkey
from web import HOSTS, Web, pages_for

HERE = Path(__file__).resolve().parent
MAKE = {"cluster": teams.cluster, "single": teams.single}
EVERY_S = 1.0
# The end may take as long as the run once more, and this.
PATIENCE_S = 900


class Wire:
    """The meter, a process of its own."""

    def __init__(self, file):
        words = [sys.executable, str(HERE / "meter.py"), str(file), *lab.interfaces()]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


class Memory:
    """Resident memory of each process, once a second; beside it how many URLs the crawl knows."""

    def __init__(self, file, team):
        self.team, self.file = team, file.open("w", buffering=1)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        while not self.over.wait(EVERY_S):
            known = self.team.report().get("urls_known") or 0
            for role in self.team.roles.values():
                process = role.process
                bytes_now = role.memory() if process else None
                if bytes_now:
                    self.file.write(json.dumps([round(time.monotonic(), 2), role.name, process.pid, bytes_now, known]) + "\n")

    def close(self):
        self.over.set()
        self.thread.join()
        self.file.close()


def run(scenario, programs, folder, minutes, limit, seed):
    """Leaves everything in `folder`; nothing is judged here."""
    folder.mkdir(parents=True)
    without = () if clock.library() else [kind for track in plan.TRACKS[scenario] for kind in track if "clock" in kind]
    journal = Journal(folder / "faults.jsonl")
    web = Web(str(programs / "weir-testsite"), pages_for(minutes, limit))
    seeds = folder / "seeds.txt"
    seeds.write_text("\n".join(web.seeds) + "\n")
    team = MAKE[scenario](str(programs / "weir"), folder, journal, seeds, limit)
    wire, memory = Wire(folder / "wire.csv"), Memory(folder / "memory.jsonl", team)
    began = time.monotonic()
    try:
        team.start()
        Monkey(plan.draw(scenario, minutes, HOSTS, seed, without), team, web, journal).run(minutes * 60)
        faults_s = time.monotonic() - began
        journal.add("the faults are over", done=team.is_done())
        runs = team.finish(minutes * 60 + PATIENCE_S)
        if runs is None:
            journal.problem("the crawl does not come to its end", says=team.lead.last_words())
        web.keep_account(folder)
    finally:
        team.close()
        memory.close()
        wire.close()
        web.close()
        journal.close()
    keeps = [str(role.out.relative_to(folder)) for role in team.roles.values() if role.name != "scheduler"]
    told = {"scenario": scenario, "seed": seed, "minutes": minutes, "limit": limit, "hosts": HOSTS, "folders": keeps, "runs": runs,
            "faults_s": round(faults_s, 1), "whole_s": round(time.monotonic() - began, 1), "without": list(without),
            "planned": sorted({fault for track in plan.TRACKS[scenario] for fault in track})}
    (folder / "run.json").write_text(json.dumps(told, indent=1) + "\n")
