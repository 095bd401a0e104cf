"""The crawlers, one file each. Each knows how to get itself and how to be run at its best."""

from .base import Missing
from .colly import Colly
from .crawlee_js import CrawleeJs
from .crawlee_py import CrawleePy
from .scrapy import Scrapy
from .spider import Spider
from .weir import Weir
from .wget2 import Wget2

ALL = [Weir(), Wget2(), Spider(), Colly(), Scrapy(), CrawleeJs(), CrawleePy()]

__all__ = ["ALL", "Missing"]
