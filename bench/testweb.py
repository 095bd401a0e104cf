"""The web on loopback: started for one run, asked for its counts, stopped."""

import json
import subprocess
import urllib.parse
import urllib.request


class TestWeb:
    """`with TestWeb(binary, flags) as web:` serves until the block ends."""

    def __init__(self, binary, flags):
        # It ends by itself when its standard input closes, so even a killed bench leaves none.
        self.process = subprocess.Popen([binary, *flags], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline()
        if not ready:
            raise RuntimeError(f"the test web ended at once with {self.process.wait(10)}")
        told = json.loads(ready)
        self.seeds = told["seeds"]
        self.control = told["control"]
        self.port = urllib.parse.urlsplit(self.seeds[0]).port

    def counts(self):
        with urllib.request.urlopen(self.control + "counts", timeout=60) as answer:
            return json.load(answer)["total"]

    def truth(self):
        """Every URL there is, with what it answers."""
        with urllib.request.urlopen(self.control + "truth", timeout=60) as answer:
            return [json.loads(line) for line in answer]

    def set_time(self, seconds):
        """The clock of pages that change stands at this from now on."""
        with urllib.request.urlopen(f"{self.control}time/{seconds}", timeout=60):
            pass

    def set_latency(self, host, time):
        """The host with this number waits so long before each answer from now on, such as 500ms."""
        with urllib.request.urlopen(f"{self.control}latency/{host}/{time}", timeout=60):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.process.stdout.close()
