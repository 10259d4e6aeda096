"""What a URL says of where it lies on its site."""

from __future__ import annotations


def first_directory(url: str) -> str:
    """The first directory of a URL, such as `https://example.org/news/`; its site where it lies in none."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    first, slash, _ = path.partition("?")[0].partition("#")[0].partition("/")
    return f"{scheme}://{authority}/{first}/" if slash and first else f"{scheme}://{authority}/"


def is_robots_file(url: str) -> bool:
    """Whether it is where a site keeps its rules for robots."""
    return url.endswith("/robots.txt") and url.count("/") == 3
