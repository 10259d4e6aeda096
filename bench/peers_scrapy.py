"""Scrapy following every link of a site and storing nothing; run by the Python that has it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

_SETTINGS = {
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
}


def main(url: str, seconds: int) -> None:
    """Crawl the site below a URL, for so many seconds at most."""
    crawler: Any = importlib.import_module("scrapy.crawler")
    process = crawler.CrawlerProcess({**_SETTINGS, "CLOSESPIDER_TIMEOUT": seconds})
    process.crawl(_spider(url))
    process.start()


def _spider(url: str) -> type:
    scrapy: Any = importlib.import_module("scrapy")
    extractors: Any = importlib.import_module("scrapy.linkextractors")
    links = extractors.LinkExtractor(
        tags=("a", "img", "link", "script"), attrs=("href", "src"), deny_extensions=(), unique=True
    )

    def parse(_spider: object, response: Any) -> Iterator[object]:
        if isinstance(response, scrapy.http.HtmlResponse):
            yield from (response.follow(link) for link in links.extract_links(response))

    return type("Everything", (scrapy.Spider,), {"name": "everything", "start_urls": [url], "parse": parse})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
