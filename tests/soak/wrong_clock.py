"""A crawl that is begun with a clock twelve hours ahead, loses its web, is killed, and goes on with the right time.

    wrong_clock.py PROGRAMS FOLDER

Prints how many pages were given up in the end. To be run in a network of its own.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from clock import Clock

PAGES, PORT = 200, 8080
SEED = f"http://127.1.0.1:{PORT}/"


def web(programs):
    flags = ["--pages", str(PAGES), "--page-bytes", "2000", "--latency", "30ms", "--port", str(PORT), "--stay"]
    process = subprocess.Popen([programs / "weir-testsite", *flags], stdout=subprocess.PIPE, text=True)
    return process, json.loads(process.stdout.readline())["control"]


def requests(control):
    with urllib.request.urlopen(control + "counts", timeout=30) as answer:
        return json.load(answer)["total"]["requests"]


def crawl(programs, out, log, clock):
    words = [programs / "weir", "crawl", SEED, "--allow-private", "--out", out, "--progress", "plain"]
    return subprocess.Popen(words, stderr=log, env={**os.environ, **clock.environment()})


def wait_until(is_so, within_s=60):
    until = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.1)


def main(programs, folder):
    programs, folder = Path(programs), Path(folder)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    clock, said = Clock(folder / "clock"), folder / "said.txt"
    clock.set(12 * 3_600)
    server, control = web(programs)
    with said.open("w") as log:
        early = crawl(programs, folder / "out", log, clock)
        wait_until(lambda: requests(control) > PAGES / 5)
        server.kill()
        server.wait(30)
        wait_until(lambda: "will be tried again" in said.read_text())
        time.sleep(1)  # The note of it has reached the log.
        early.kill()
        early.wait(30)
        clock.set(0)
        server, _ = web(programs)
        crawl(programs, folder / "out", log, clock).wait(120)
    server.kill()
    print(json.loads((folder / "out/report.json").read_text())["failed"])


if __name__ == "__main__":
    main(*sys.argv[1:])
