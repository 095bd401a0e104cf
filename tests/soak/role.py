"""One process of weir with its machine, its folder, its disk and its clock: killed, told to stop, started again."""

import os
import signal
import subprocess
import threading
import time

import lab
from clock import Clock
from disk import Disk

STOPS_WITHIN_S = 120
# No program answers a signal that comes before its first instruction; a kill may come at any time.
LISTENS_AFTER_S = 1
LAST_LINES = 5


class Role:
    def __init__(self, name, machine, folder, command):
        """`command` is given the folder for its output."""
        self.name = name
        self.machine = machine
        self.disk = Disk(folder / name)
        self.out = self.disk.folder / "out"
        self.clock = Clock(folder / f"{name}.clock")
        self.command = lab.on(machine, command(self.out))
        self.log = folder / f"{name}.log"
        self.process = None
        self.starts = 0
        self.started = time.monotonic()
        # Whoever holds it decides what becomes of the process.
        self.lock = threading.RLock()

    def start(self):
        self.starts += 1
        self.started = time.monotonic()
        environment = {**os.environ, **self.clock.environment()}
        with self.log.open("ab") as log:
            log.write(f"--- start {self.starts}\n".encode())
            log.flush()
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def ended(self):
        """Its exit code, or None."""
        return self.process.poll()

    def kill(self):
        self.process.kill()
        return self.process.wait(STOPS_WITHIN_S)

    def stop(self):
        """SIGTERM; the exit code, or None if it had to be killed after all. Not in the moment in which it was started."""
        self.ends_within(self.started + LISTENS_AFTER_S - time.monotonic())
        self.process.send_signal(signal.SIGTERM)
        return self.wait(STOPS_WITHIN_S)

    def wait(self, within_s):
        """The exit code, or None after this time: then it was killed."""
        try:
            return self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def ends_within(self, seconds):
        """Looks for so long; the exit code, or None if it goes on."""
        until = time.monotonic() + seconds
        while self.ended() is None and time.monotonic() < until:
            time.sleep(0.1)
        return self.ended()

    def last_words(self):
        lines = self.log.read_text(errors="replace").splitlines()
        return " | ".join(lines[-LAST_LINES:])

    def memory(self):
        """Resident bytes, or None if it does not run."""
        try:
            with open(f"/proc/{self.process.pid}/status") as file:
                lines = [line for line in file if line.startswith("VmRSS:")]
        except (FileNotFoundError, ProcessLookupError):
            return None
        return int(lines[0].split()[1]) * 1024 if lines and self.ended() is None else None
