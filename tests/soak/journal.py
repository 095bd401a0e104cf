"""What happens in a run, a line of JSON each, and for who looks on."""

import json
import threading
import time
from datetime import datetime, timezone


class Journal:
    def __init__(self, file):
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.file = file.open("w", buffering=1)

    def add(self, what, **more):
        line = {"at": round(time.monotonic() - self.began, 2), "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
                "what": what, **more}
        with self.lock:
            self.file.write(json.dumps(line) + "\n")
            told = " ".join(f"{key}={value}" for key, value in more.items())
            print(f"{line['at']:8.1f} s  {what}  {told}", flush=True)

    def problem(self, why, **more):
        """Something that weir promises not to do."""
        self.add("problem", why=why, **more)

    def close(self):
        self.file.close()
