"""One driver at a time works on a crawl.

A driver says that it is there in a small file, again and again. Whoever finds one that was left behind waits
until the tasks of its driver have certainly ended: without a bank they give up within GONE_S. If the file
changes meanwhile, that driver lives.
"""

import json
import os
import socket
import threading
import time

from webweir.spark.errors import CrawlFailed
from webweir.spark.out import DRIVER, Out

EVERY_S = 3.0
GONE_S = 11.0


class Alone:
    """Held by the driver for as long as it works."""

    def __init__(self, out: Out, waits):
        self._out, self._id = out, os.urandom(8).hex()
        self._beats, self._over = 0, threading.Event()
        left = out.read(DRIVER)
        if left is not None:
            waits(GONE_S)
            _wait_for_the_end_of(out, left)
        self._beat()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Before anything is committed: who was away for long may have been taken for dead."""
        if not self._is_ours():
            raise CrawlFailed(f"another driver has taken over {self._out.uri}: leave it to that one")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        if self._is_ours():
            self._out.delete(DRIVER)

    def _run(self):
        while not self._over.wait(EVERY_S):
            try:
                if not self._is_ours():
                    return
                self._beat()
            except OSError:
                # The next round cannot be committed then, and says why.
                pass

    def _beat(self):
        self._beats += 1
        self._out.write_json(DRIVER, {"id": self._id, "host": socket.gethostname(), "pid": os.getpid(), "beats": self._beats})

    def _is_ours(self):
        return _value(self._out.read(DRIVER)).get("id") == self._id


def _wait_for_the_end_of(out, left):
    until = time.monotonic() + GONE_S
    while time.monotonic() < until:
        time.sleep(0.5)
        now = out.read(DRIVER)
        if now is None:
            return
        if now != left:
            driver = _value(now)
            raise CrawlFailed(
                f"another driver is at work on {out.uri} (pid {driver.get('pid')} on {driver.get('host')}): "
                "wait for it, or use another --out"
            )


def _value(data) -> dict:
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
