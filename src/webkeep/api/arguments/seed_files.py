"""Seeds out of files (`--seeds-from`): lists of URLs, sitemaps, feeds, and archives; how each is told from the others,
which links of a feed count, and how remarks in a list are written.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from webkeep.crawl.plan import parse_seed_text
from webkeep.errors import UsageError
from webkeep.extract import extract_content_links
from webkeep.extract.documents import DecodedContent, read_sitemap
from webkeep.extract.links import LinkRole
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive

_MAX_LIST_BYTES = 256 << 20
"""A list is read into memory; this holds some millions of URLs."""
_SNIFFED_BYTES = 4096
"""The start of a file by which markup and binary content are told from a plain list."""
_match_url = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE).match
_FEED_LINK_SOURCES = frozenset(
    {"feed link", "feed link[href]", "feed guid", "feed item[rdf:about]", "feed outline[htmlUrl]"}
)
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_seeds(source: str, tell: Callable[[str], None]) -> Iterator[str]:
    """The URLs of a list, a sitemap, a feed or an archive; `tell` is told what a person may not expect."""
    if _match_url(source):
        raise UsageError(f"--seeds-from takes a file, and {source[:200]} is a URL; save it as a file and name that")
    path = Path(source)
    if is_archive(path):
        with Archive(path) as archive:
            yield from dict.fromkeys(seed for capture in archive.captures() for seed in capture.seeds)
        return
    content = _read_content(path)
    found = (_read_sitemap(content, path, tell) or _read_feed(content, path.name)) if _is_formatted(content) else []
    yield from found or _read_lines(content, path)


def _is_formatted(content: bytes) -> bool:
    """Whether there is more to it than lines: markup, JSON, or something packed."""
    return content.startswith((*_UTF16_MARKS, b"\x1f\x8b")) or content[:_SNIFFED_BYTES].lstrip().startswith(
        (b"<", b"{")
    )


def _read_content(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_LIST_BYTES).removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise UsageError(f"cannot read seeds from {path} ({error.strerror}); give a file that is there") from error


def _read_sitemap(content: bytes, path: Path, tell: Callable[[str], None]) -> list[str]:
    entries = list(read_sitemap(content))
    if any(entry.is_sitemap for entry in entries):
        tell(
            f"{path} is an index of sitemaps: the sitemaps it names become seeds, and their pages are followed in scope"
        )
    return [entry.url for entry in entries]


def _read_feed(content: bytes, name: str) -> list[str]:
    """The pages that a feed is about, its items first of all; what its items' texts link to is another matter."""
    links = extract_content_links(DecodedContent(f"https://feed.invalid/{name}", content))
    found = (link.url for link in links if link.role is LinkRole.NAVIGATE and link.source in _FEED_LINK_SOURCES)
    return list(dict.fromkeys(url for url in found if not url.startswith("https://feed.invalid/")))


def _read_lines(content: bytes, path: Path) -> Iterator[str]:
    for number, line in enumerate(_decode_text(content, path).splitlines(), 1):
        seed = line.partition(" #")[0].strip()
        if seed and not seed.startswith("#"):
            try:
                parse_seed_text(seed)
            except UsageError as error:
                raise UsageError(f"{path}, line {number}: {error}") from error
            yield seed


def _decode_text(content: bytes, path: Path) -> str:
    if content.startswith(_UTF16_MARKS):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:_SNIFFED_BYTES]:
        raise UsageError(f"{path} is neither a list of URLs nor a sitemap, feed or archive; name one of those")
    return content.decode("utf-8", "replace")
