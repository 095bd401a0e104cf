"""Which processes of a row took how much of the processors."""

import threading

from processes import running

LOOK_S = 0.5
KINDS = ("driver, Java", "driver, Python", "executors, Java", "executors, Python", "master, workers")


class Watch(threading.Thread):
    """Looks at the driver's session and the cluster's until `stop`. What a process took after the last look at
    it is missed, so the figures are a little low."""

    def __init__(self, driver, cluster):
        super().__init__(daemon=True)
        self.driver, self.cluster = driver, cluster
        self.seen = {}
        self.over = threading.Event()
        self.before = self.look()
        self.start()

    def run(self):
        while not self.over.wait(LOOK_S):
            self.seen.update(self.look())

    def look(self):
        found = (process for process in running()
                 if process.session == self.driver or process.session in self.cluster.sessions)
        return {(process.pid, process.born): (kind(process, self.driver), process.cpu_s)
                for process in found}

    def stop(self):
        """CPU seconds of each kind since the start."""
        self.over.set()
        self.join()
        return split(self.before, {**self.seen, **self.look()})


def split(before, after):
    spent = dict.fromkeys(KINDS, 0.0)
    for process, (what, cpu_s) in after.items():
        spent[what] += cpu_s - before.get(process, (what, 0.0))[1]
    return spent


def kind(process, driver):
    if process.session == driver:
        return "driver, Java" if "org.apache.spark" in process.command else "driver, Python"
    if "CoarseGrainedExecutorBackend" in process.command:
        return "executors, Java"
    if "pyspark.daemon" in process.command:
        return "executors, Python"
    return "master, workers"
