import shutil

from .base import Crawler, apt_get, step


class Wget2(Crawler):
    name = "wget2"
    about = "GNU Wget2, C; from the system, or by apt-get"

    def install(self, cache):
        if not shutil.which("wget2"):
            apt_get("wget2")

    def version(self):
        return step(["wget2", "--version"]).split()[2]

    def command(self, scenario, seeds, seeds_file, out):
        # Threads are for all hosts together; each has one connection.
        threads = min(scenario.per_host * scenario.hosts, scenario.total)
        return ["wget2", "--no-config", "--quiet", "--recursive", "--level=inf", "--delete-after",
                f"--max-threads={threads}", "--no-hsts", "--no-ocsp", f"--input-file={seeds_file}"]
