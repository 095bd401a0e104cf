from .base import PROGRAMS, Crawler, step, venv


class CrawleePy(Crawler):
    name = "crawlee-py"
    about = "Crawlee for Python with its ParselCrawler, by pip"

    def install(self, cache):
        self.bin = venv(cache, "crawlee-py", "crawlee[parsel]")

    def version(self):
        told = "import importlib.metadata as m; print(m.version('crawlee'))"
        return step([self.bin / "python", "-c", told]).strip()

    def command(self, scenario, seeds, seeds_file, out):
        connections = min(scenario.per_host * scenario.hosts, scenario.total)
        return [self.bin / "python", PROGRAMS / "crawlee_site.py", seeds_file, connections]

    def environment(self):
        # It slows down when it thinks that the machine's memory is short.
        return {"CRAWLEE_AVAILABLE_MEMORY_RATIO": "0.9"}
