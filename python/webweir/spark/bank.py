"""The bank: what only one task may have at a time, and what all of them share.

It is a small server in the driver. A task asks it for its bucket before it does anything: Spark may start a
task twice, and hosts must not be asked by two at a time. What one attempt has finished is not done again by
another one. With a limit, each task has a part of it, for as long as the bank is heard of.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass, field

from webweir import _webweir

LOOPBACK = ("127.", "localhost", "::1", "[::1]")
# How long a task looks for the bank before it gives up.
PATIENCE_S = 30.0


@dataclass(frozen=True)
class Address:
    """What a task has to know to find the bank."""

    url: str
    # The keys of its side, by name; none on loopback.
    keys: dict = field(default_factory=dict)

    def claim(self, round_number: int, bucket: int, folder: str):
        """A lease, or what another attempt has brought, as bytes."""
        keys = self._write_keys(folder) if self.keys else None
        return _webweir.claim(self.url, round_number, bucket, os.urandom(16), PATIENCE_S, keys)

    def _write_keys(self, folder: str) -> str:
        place = os.path.join(folder, "keys")
        os.mkdir(place, 0o700)
        for name, data in self.keys.items():
            with open(os.open(os.path.join(place, name), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(data)
        return place


class Bank:
    """In the driver, for as long as a crawl runs."""

    def __init__(self, spark, limit):
        host = spark.conf.get("spark.driver.host", "127.0.0.1")
        self._folder = None
        keys = {}
        if not host.startswith(LOOPBACK):
            self._folder = tempfile.mkdtemp(prefix="weir-keys-")
            keys = _make_keys(os.path.join(self._folder, "keys"), host)
        folder = os.path.join(self._folder, "keys") if self._folder else None
        listen = "0.0.0.0:0" if keys else "127.0.0.1:0"
        self._bank = _webweir.Bank(listen, folder, limit)
        scheme = "https" if keys else "http"
        self.address = Address(f"{scheme}://{host}:{self._bank.port()}", keys)

    def begin_round(self, number: int, buckets: int) -> None:
        self._bank.begin_round(number, buckets)

    def doing(self):
        """(tasks, pages, bytes, bytes a second) of the round that runs."""
        return self._bank.doing()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bank = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _make_keys(folder: str, host: str) -> dict:
    """Those that a task needs; the others stay here."""
    keys = {}
    for path in _webweir.make_keys(folder, host):
        name = os.path.basename(path)
        if not name.startswith("scheduler"):
            with open(path, "rb") as file:
                keys[name] = file.read()
    return keys
