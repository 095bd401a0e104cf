"""`weir crawl` and `weir serve` with their dashboards, as a user starts them, and what can be asked of them."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from testweb import TestWeb  # noqa: E402

WITHIN_S = 30
# What no environment of whoever runs the tests may change.
TOKENS = ("WEIR_DASHBOARD_TOKEN", "WEIR_DASHBOARD_READ_TOKEN")


def program(name):
    """One of the project's programs; the caller has built it."""
    folder = os.environ.get("WEIR_PROGRAMS")
    if not folder:
        folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
    return str(Path(folder) / name)


def web(*flags):
    """`with web("--hosts", "4") as it:` serves until the block ends."""
    return TestWeb(program("weir-testsite"), [*flags])


def until(what, look, within_s=WITHIN_S):
    """The first answer of `look` that is true; fails with `what` when none comes."""
    end = time.monotonic() + within_s
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end, f"not within {within_s} s: {what}; last it was {found!r}"
        time.sleep(0.05)


def host_of(seed):
    """The name of a site, as the dashboard has it."""
    return seed.split("/")[2]


def settings(folder, sites, **keys):
    """Writes a weir.toml; a site is a seed and its keys."""
    lines = [f"{name.replace('_', '-')} = {json.dumps(value)}" for name, value in keys.items()]
    lines.append("allow-private = true")
    for seed, of_site in sites:
        lines += ["[[site]]", f'name = "{host_of(seed)}"', f'urls = ["{seed}"]']
        lines += [f"{name.replace('_', '-')} = {json.dumps(value)}" for name, value in of_site.items()]
    file = Path(folder) / "weir.toml"
    new = file.with_suffix(".new")
    new.write_text("\n".join(lines) + "\n")
    new.replace(file)
    return file


class Weir:
    """`with Weir("crawl", ["-c", file], out) as weir:` runs until the block ends, at the latest."""

    def __init__(self, command, flags, out, place="127.0.0.1:0", env=None):
        self.out = Path(out)
        self.said = []
        whole = [program("weir"), command, *map(str, flags), "-o", str(out), "--dashboard", place,
                 "--progress", "none"]
        clean = {name: value for name, value in os.environ.items() if name not in TOKENS}
        self.process = subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, env={**clean, **(env or {})})
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        try:
            self.link = until("weir tells where its dashboard is", self._link)
        except AssertionError:
            self.kill()
            raise
        port = re.search(r":(\d+)/", self.link).group(1)
        self.port = int(port)
        self.url = f"http://127.0.0.1:{port}"

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip())

    def _link(self):
        if self.process.poll() is not None:
            self.listener.join(WITHIN_S)
        lines = [line for line in list(self.said) if line.startswith("dashboard: ")]
        assert lines or self.process.poll() is None, f"weir ended with {self.process.returncode}: {self.said}"
        return lines and lines[0].removeprefix("dashboard: ")

    def get(self, path, **more):
        return requests.get(self.url + path, timeout=WITHIN_S, **more)

    def json(self, path):
        answer = self.get(path)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def state(self):
        return self.json("/api/state")

    def site(self, seed):
        """The row of a site, or None."""
        return next((row for row in self.state()["sites"] if row["site"] == host_of(seed)), None)

    def post(self, path, body, **more):
        return requests.post(self.url + path, json=body, timeout=WITHIN_S, **more)

    def act(self, **action):
        answer = self.post("/api/actions", action)
        assert answer.status_code == 200, f"{action}: {answer.status_code} {answer.text}"
        return answer.json()

    def until(self, what, look, within_s=WITHIN_S):
        """`look` is given the state."""
        return until(what, lambda: look(self.state()), within_s)

    def report(self):
        """What was written to the folder."""
        return json.loads((self.out / "report.json").read_text())

    def ended(self, within_s=WITHIN_S):
        """Waits; the exit code."""
        code = self.process.wait(within_s)
        self.listener.join(WITHIN_S)
        return code

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Asks it to end; the exit code."""
        self.signal(signal.SIGTERM)
        return self.ended()

    def kill(self):
        self.process.kill()
        self.process.wait(WITHIN_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self.listener.join(WITHIN_S)
        self.process.stderr.close()
