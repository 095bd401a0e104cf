"""Scrapy crawls the hosts of a file of seeds. Arguments: FILE, connections a host, in all."""

import sys
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess

SEEDS = open(sys.argv[1]).read().split()


class Site(scrapy.Spider):
    name = "site"

    async def start(self):
        # Scrapy's own start asks for a seed again when it meets a link to it.
        for seed in SEEDS:
            yield scrapy.Request(seed)

    def parse(self, response):
        here = urlsplit(response.url).netloc
        # An answer that is not text has no links.
        if not hasattr(response, "xpath"):
            return
        for link in response.xpath("//a/@href").getall():
            url = response.urljoin(link.strip())
            if urlsplit(url).netloc == here:
                yield scrapy.Request(url)


process = CrawlerProcess({
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": int(sys.argv[3]),
    "CONCURRENT_REQUESTS_PER_DOMAIN": int(sys.argv[2]),
    "DOWNLOAD_DELAY": 0,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "LOG_LEVEL": "ERROR",
})
process.crawl(Site)
process.start()
