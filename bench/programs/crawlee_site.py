"""Crawlee for Python crawls the hosts of a file of seeds. Arguments: FILE, connections in all."""

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler
from crawlee.storage_clients import MemoryStorageClient


async def main():
    seeds = open(sys.argv[1]).read().split()
    connections = int(sys.argv[2])
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        respect_robots_txt_file=True,
        use_session_pool=False,
        retry_on_blocked=False,
        configure_logging=False,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=connections, desired_concurrency=connections,
            max_concurrency=connections),
    )

    @crawler.router.default_handler
    async def page(context):
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run(seeds)


logging.basicConfig(level=logging.ERROR)
asyncio.run(main())
