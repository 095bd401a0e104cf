"""The processes of a crawl: a scheduler with its downloaders, or one `weir crawl`; kept alive, and led to their end."""

import json
import subprocess
import threading
import time

import lab
from role import Role
from web import DEAD

PORT = 7700
SLOTS = 20
# Runs after the faults, at the most: what a run has given up the next one tries again (docs/politeness.md).
MOST_RUNS = 4
MOST_STARTS_BY_ITSELF = 10
# Longer than it takes a downloader to find the scheduler again.
FAREWELL_S = 10


class Team:
    """`lead` is the one whose end is the end of the crawl; `roles` are all, by name."""

    def __init__(self, folder, journal, lead, others):
        self.folder, self.journal, self.lead = folder, journal, lead
        self.roles = {role.name: role for role in [lead, *others]}
        self.mended = 0
        self.closing = threading.Event()
        self.keeper = threading.Thread(target=self._keep, daemon=True)

    def start(self):
        for role in self.roles.values():
            role.start()
        self.keeper.start()

    def start_again(self, role):
        """Unless the crawl has ended meanwhile: then nobody waits for it, and it would wait for ever."""
        if not self.is_done():
            role.start()

    def is_done(self):
        """The crawl has come to its end by itself."""
        return self.lead.ended() == 0

    def finish(self, within_s):
        """Waits for the end, and runs it again as long as something was given up. How many runs it took, or None."""
        until = time.monotonic() + within_s
        for runs in range(1, MOST_RUNS + 1):
            if not self._wait(self.is_done, until):
                return None
            # `failed` has the pages that are gone, too, all of which were asked for by now.
            given_up = max(0, self.report().get("failed", 0) - DEAD)
            self.journal.add("run ended", run=runs, given_up=given_up)
            self._end_others()
            if given_up == 0 or runs == MOST_RUNS:
                return runs
            for role in reversed(self.roles.values()):
                with role.lock:
                    role.start()
        return None

    def report(self):
        """What the crawl says of itself; nothing is judged by it."""
        try:
            return json.loads((self.lead.out / "report.json").read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def close(self):
        self.closing.set()
        self.keeper.join()
        for role in self.roles.values():
            if role.ended() is None:
                role.kill()

    def _wait(self, is_so, until):
        while not is_so():
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
        return True

    def _end_others(self):
        """With the crawl the downloaders end by themselves. One that was away when it ended is told to; it has nothing left to hand in."""
        for role in self.roles.values():
            if role is self.lead or role.ends_within(FAREWELL_S) is not None:
                continue
            with role.lock:
                code = role.stop()
            self.journal.add("a downloader had not heard that the crawl is done", role=role.name, code=code)
            if code != 0:
                self.journal.problem("a downloader has something left though the crawl is done", role=role.name, code=code, says=role.last_words())

    def _keep(self):
        """Whoever ends by itself before the crawl does is noted, and started again as an operator would."""
        while not self.closing.wait(0.3):
            for role in self.roles.values():
                if role.lock.acquire(blocking=False):
                    try:
                        self._look_after(role)
                    finally:
                        role.lock.release()

    def _look_after(self, role):
        code = role.ended()
        if code in (None, 0) or self.is_done():
            return
        if code == 4:
            self.journal.add("ended with 4 and is started again", role=role.name, says=role.last_words())
        else:
            self.journal.problem("ended by itself", role=role.name, code=code, says=role.last_words())
        self.mended += 1
        if self.mended <= MOST_STARTS_BY_ITSELF:
            role.start()


def flags(seeds, limit):
    return ["--seeds", str(seeds), "--allow-private", "--limit", f"{limit}B/s", "--progress", "plain"]


def cluster(weir, folder, journal, seeds, limit):
    keys = folder / "keys"
    subprocess.run([weir, "cluster", "init", "--name", lab.SCHEDULER, "--keys", str(keys)], check=True, stdout=subprocess.DEVNULL)
    place = f"{lab.SCHEDULER}:{PORT}"

    def scheduler(out):
        return [weir, "scheduler", *flags(seeds, limit), "--listen", place, "--keys", str(keys), "--out", str(out)]

    def downloader(name):
        return lambda out: [weir, "downloader", "--scheduler", f"https://{place}", "--keys", str(keys), "--slots", str(SLOTS),
                            "--name", name, "--out", str(out)]

    names = [f"d{n}" for n in lab.MACHINES]
    others = [Role(name, name, folder, downloader(name)) for name in names]
    return Team(folder, journal, Role("scheduler", "scheduler", folder, scheduler), others)


def single(weir, folder, journal, seeds, limit):
    def crawl(out):
        return [weir, "crawl", *flags(seeds, limit), "--out", str(out)]

    return Team(folder, journal, Role("crawl", "d1", folder, crawl), [])
