"""What is done for each kind of fault, and what must come of it at once."""

import re

import lab
from web import SlowHosts, StandStill

# Left free on a disk that is full: some records still fit, so that each time another file is the first in need.
ROOM = 60_000
# A process may notice some time after there is room again that it could not write before.
NOTICES_S = 3
SAYS_FULL = re.compile("no space|disk full|disk is full", re.IGNORECASE)


def make(fault, team, web, journal, over):
    """Makes a fault and ends it. `over` says that the run is, so that nobody needs to wait longer."""
    if team.is_done():
        return
    journal.add("begins", kind=fault.kind, **told(fault))
    role = team.roles[fault.target]
    if fault.kind.startswith(("kill", "stop")):
        killed(fault, team, role, journal, over)
    elif fault.kind.startswith("disk"):
        full(fault, team, role, journal, over)
    elif "wrong clock" in fault.kind:
        wrong_at_start(fault, role, over)
    elif fault.kind == "clock jumps":
        lasting(Jump(role.clock, fault.by), fault, over)
    else:
        lasting(around(fault, web), fault, over)
    journal.add("fault", kind=fault.kind, target=fault.target)


def told(fault):
    more = {"target": fault.target, "lasts": fault.lasts}
    if "hosts" in fault.kind:
        more["hosts"] = len(fault.hosts)
    if "clock" in fault.kind or fault.kind == "slow hosts":
        more["by"] = fault.by
    return more


def around(fault, web):
    """A fault of the world around weir."""
    machine = "d1" if fault.target == "crawl" else fault.target
    return {
        "slow hosts": lambda: SlowHosts(web, fault.hosts, fault.by),
        "silent hosts": lambda: lab.SilentHosts(fault.hosts),
        "unreachable hosts": lambda: lab.UnreachableHosts(fault.hosts),
        "web stands still": lambda: StandStill(web),
        "cut from scheduler": lambda: lab.ControlCut(machine),
        "cut from web": lambda: lab.WebCut(machine),
    }[fault.kind]()


def lasting(trouble, fault, over):
    trouble.begin()
    try:
        over.wait(fault.lasts)
    finally:
        trouble.end()


class Jump:
    """The clock jumps, and later back."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, seconds

    def begin(self):
        self.clock.set(self.seconds)

    def end(self):
        self.clock.set(0)


def killed(fault, team, role, journal, over):
    with role.lock:
        if fault.kind.startswith("kill"):
            role.kill()
        else:
            judge_stop(role, role.stop(), journal)
        over.wait(fault.lasts)
        team.start_again(role)


def wrong_at_start(fault, role, over):
    """A machine that is switched on before it has asked anybody for the time."""
    with role.lock:
        role.kill()
        role.clock.set(fault.by)
        role.start()
    over.wait(fault.lasts)
    role.clock.set(0)


def judge_stop(role, code, journal):
    """Told to stop, it ends in time, and says that it can go on (4) or that nothing is left to do."""
    if code is None:
        journal.problem("did not end when it was told to", role=role.name, says=role.last_words())
    elif code not in (0, 4):
        journal.problem("ended otherwise than it was told to", role=role.name, code=code, says=role.last_words())


def full(fault, team, role, journal, over):
    with role.lock:
        role.disk.fill(ROOM)
        try:
            over.wait(fault.lasts)
        finally:
            role.disk.free()
        code = role.ends_within(NOTICES_S)
        if code is None or code == 0:
            return  # It had no need of the disk, or the crawl was done.
        if code != 1 or not SAYS_FULL.search(role.last_words()):
            journal.problem("a full disk was not said clearly", role=role.name, code=code, says=role.last_words())
        journal.add("ended for its full disk", role=role.name, code=code)
        team.start_again(role)
