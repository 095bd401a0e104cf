"""The processes of this machine, as /proc tells them."""

import os
import signal
import time
from dataclasses import dataclass

TICKS_S = os.sysconf("SC_CLK_TCK")
# How often a wait looks again.
LOOK_S = 0.1


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    session: int
    # Ticks since the machine started. With the pid it is one process and no other.
    born: int
    cpu_s: float
    command: str

    def is_running(self):
        """A number that was given to another process since does not count."""
        now = look(self.pid)
        return now is not None and now.born == self.born


def running():
    """All that run now. A process that has ended and waits for its parent to notice is not among them."""
    found = (look(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [process for process in found if process is not None]


def look(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            stat = file.read()
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in brackets and may hold anything, brackets too; the fields come after it.
    state, parent, _, session, *others = stat.rpartition(")")[2].split()
    if state in "ZX":
        return None
    user, system, born = int(others[7]), int(others[8]), int(others[15])
    command = words.replace(b"\0", b" ").decode(errors="replace").strip()
    return Process(pid, int(parent), int(session), born, (user + system) / TICKS_S, command)


def in_sessions(leaders):
    """All that was started by these, whoever their parents are by now: only `setsid` leaves a session,
    and neither Spark nor its Python workers call it."""
    return [process for process in running() if process.session in leaders]


def kill(process):
    """Ends it as a lost machine would: without a word."""
    if process.is_running():
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def wait_until(is_so, within_s, what):
    """What `is_so` returned, as soon as that is true. Raises if it is not in time."""
    until = time.monotonic() + within_s
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() > until:
            raise TimeoutError(f"not within {within_s} s: {what}")
        time.sleep(LOOK_S)
