from .base import PROGRAMS, Crawler, step, venv


class Scrapy(Crawler):
    name = "scrapy"
    about = "Python, by pip"

    def install(self, cache):
        self.bin = venv(cache, "scrapy", "scrapy")

    def version(self):
        return step([self.bin / "scrapy", "version"]).split()[-1]

    def command(self, scenario, seeds, seeds_file, out):
        return [self.bin / "python", PROGRAMS / "scrapy_site.py", seeds_file, scenario.per_host,
                scenario.total]
