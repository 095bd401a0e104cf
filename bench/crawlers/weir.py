import build

from .base import Crawler, Missing, step


class Weir(Crawler):
    name = "weir"
    about = "this repository; durable frontier, the only one here that has one"

    def install(self, cache):
        self.binary = build.weir()
        if self.binary is None:
            raise Missing("weir: not built")

    def version(self):
        return step([self.binary, "--version"]).split()[1]

    def command(self, scenario, seeds, seeds_file, out):
        return [self.binary, "crawl", "--seeds", seeds_file, "-o", out, "--allow-private",
                "--store", scenario.store, "--content", scenario.content, "--delay", "0", "--per-host", scenario.per_host,
                "--concurrency", scenario.total, "--progress", "none"]
