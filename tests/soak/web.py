"""The web of a run: large enough for its time, started once, and its own account of what was asked of it."""

import json
import signal
import subprocess
import urllib.request

import lab

HOSTS = 40
PAGE_BYTES = 12_000
LATENCY = "30ms"
# Of each host, beside its pages.
EXTRAS = {"--redirects": 8, "--dead": 6, "--duplicates": 8, "--files": 4}
DEAD = HOSTS * EXTRAS["--dead"]
# What a page takes on the wire beside its body: heads of HTTP, and of packets.
HEADS = 1.06
# While faults are made, less comes than the limit allows.
PART_OF_LIMIT = 0.7
LEAST_PAGES = 12


def pages_for(minutes, limit):
    """Pages of each host, so that the crawl lasts for these minutes."""
    page = PAGE_BYTES * HEADS
    pages = minutes * 60 * limit * PART_OF_LIMIT / page / HOSTS
    return max(LEAST_PAGES, round(pages - sum(EXTRAS.values()) / 2))


class Web:
    def __init__(self, program, pages):
        flags = ["--hosts", HOSTS, "--pages", pages, "--page-bytes", PAGE_BYTES, "--links", 20, "--cross", 2,
                 "--latency", LATENCY, "--robots", "--at", lab.FIRST_SITE]
        flags += [word for pair in EXTRAS.items() for word in pair]
        self.process = subprocess.Popen([program, *map(str, flags)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline()
        if not ready:
            raise RuntimeError(f"the web ended at once with {self.process.wait(10)}")
        told = json.loads(ready)
        self.seeds, self.control = told["seeds"], told["control"]

    def counts(self):
        return json.loads(self._get("counts"))

    def keep_account(self, folder):
        """What there is, what was asked, and what was never handed over whole."""
        (folder / "counts.json").write_bytes(self._get("counts"))
        (folder / "missing.txt").write_bytes(self._get("missing"))
        with urllib.request.urlopen(self.control + "truth", timeout=600) as answer, (folder / "truth.jsonl").open("wb") as out:
            while part := answer.read(1 << 20):
                out.write(part)

    def latency(self, host, time):
        self._get(f"latency/{host}/{time}")

    def stand_still(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def _get(self, path):
        with urllib.request.urlopen(self.control + path, timeout=120) as answer:
            return answer.read()


class SlowHosts:
    def __init__(self, web, hosts, wait_s):
        self.web, self.hosts, self.wait_s = web, hosts, wait_s

    def begin(self):
        for host in self.hosts:
            self.web.latency(host, f"{self.wait_s}s")

    def end(self):
        for host in self.hosts:
            self.web.latency(host, LATENCY)


class StandStill:
    """The servers take connections, since their system does, and answer nothing."""

    def __init__(self, web):
        self.web = web

    def begin(self):
        self.web.stand_still()

    def end(self):
        self.web.go_on()
