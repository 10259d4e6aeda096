"""Seeds out of a file that somebody sent: a table, an outline, a sitemap, a feed, a list, or WARC or WACZ."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from webkeep.api import read_seeds
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.status import OK
from webkeep.formats.wacz import read_wacz
from webkeep.service.collections import (
    RefusedLine,
    SeedEntry,
    is_bookmark_file,
    read_bookmarks,
    read_outline,
    read_seed_table,
)
from webkeep.store.archive import Archive
from webkeep.store.transfer import build_temporary_archive, list_record_files, sniff_record_ending
from webkeep.url import parse_seed, split_url

MAX_SENT_BYTES = 256 << 20
"""Of a file with seeds: an archive of some thousand pages; larger ones are imported where they lie."""
MAX_TABLE_BYTES = 32 << 20
"""Of a table or an outline, which are read whole: some hundred thousand seeds."""
_MAX_SEEDS = 100_000
"""Of one file; whoever has more sends several."""
_SNIFFED_BYTES = 4096
"""Of a file, by which markup is told from a table."""
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})

SeedCheck = Callable[[SeedEntry], SeedEntry]


def read_sent_text(text: str, check: SeedCheck) -> list[SeedEntry | RefusedLine]:
    """The seeds of a table or an outline as a check lets them in, and what is wrong with lines that have none."""
    is_outline = text.lstrip("\ufeff \r\n\t").startswith("<")
    found = read_outline(text, check) if is_outline else read_seed_table(text.split("\n"), check)
    return _bound(found)


def read_sent_file(path: Path, check: SeedCheck) -> list[SeedEntry | RefusedLine]:
    """The seeds of a file, by what is in it."""
    with path.open("rb") as stream:
        start = stream.read(_SNIFFED_BYTES)
    if sniff_record_ending(path):
        return _bound(check_urls(_archive_pages(path), check))
    if is_bookmark_file(start.decode("utf-8", "replace")):
        return _bound(read_bookmarks(_read_whole(path), check))
    text = start.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    if (text.startswith(b"<") and b"<opml" not in text) or start.startswith(b"\x1f\x8b"):
        return _bound(check_urls(read_seeds(str(path), lambda _: None), check))
    return read_sent_text(_read_whole(path), check)


def _read_whole(path: Path) -> str:
    if path.stat().st_size > MAX_TABLE_BYTES:
        raise UsageError(f"the table has more than {MAX_TABLE_BYTES >> 20} MB; send it in parts")
    return path.read_bytes().decode("utf-8", "replace")


def check_urls(urls: Iterable[str], check: SeedCheck) -> Iterator[SeedEntry | RefusedLine]:
    """Seeds of URLs as a check lets them in; those that it refuses are told by their number."""
    for number, url in enumerate(urls, 1):
        try:
            yield check(SeedEntry(parse_seed(url)))
        except UsageError as error:
            yield RefusedLine(number, str(error))


def _bound(found: Iterable[SeedEntry | RefusedLine]) -> list[SeedEntry | RefusedLine]:
    taken = list(islice(found, _MAX_SEEDS + 1))
    if len(taken) > _MAX_SEEDS:
        raise UsageError(f"there are more than {_MAX_SEEDS:,} seeds in it; send it in parts")
    return taken


def _archive_pages(path: Path) -> Iterator[str]:
    """The pages that a WACZ lists; of WARC files, which list none, the first page of each host."""
    if sniff_record_ending(path) == ".wacz":
        with path.open("rb") as stream:
            pages = [page.url for page in read_wacz(stream, path.name, Flaws(Strictness.IGNORE)).pages()]
        yield from dict.fromkeys(url for url in pages if url.startswith(("http://", "https://")))
        return
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="seeds-") as name:
        folder = build_temporary_archive(list_record_files(path), Path(name) / "archive", "sent", SystemClock().now())
        hosts: set[str] = set()
        with Archive(folder) as archive:
            for entry in archive.entries():
                host = split_url(entry.url).host
                if host not in hosts and entry.status == OK and entry.media_type in _PAGE_TYPES:
                    hosts.add(host)
                    yield entry.url
