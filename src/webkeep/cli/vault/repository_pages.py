"""What archives hold of a site's pages, asked of the repositories that `webkeep recover` knows: the options that name
them, their listings by page, and the pages themselves; how many rows and versions are looked at.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.cli.output.findings import FindingPrinter
from webkeep.errors import UsageError
from webkeep.fetch import FetchSettings, parse_resolve
from webkeep.formats.status import is_successful
from webkeep.model import Moment
from webkeep.recover.repositories import (
    FetchedVersion,
    ListedVersion,
    ListingPage,
    MissReason,
    Repository,
    RepositoryMiss,
    VersionResult,
)
from webkeep.recover.sources import RepositoryContext, open_repositories
from webkeep.url import UrlMatch, split_url
from webkeep.vault import decode_path, encode_path

_MAX_LISTED_ROWS = 2_000_000
"""Rows of one listing that are looked at: what is beyond is counted as not held, which is said."""
_PAGES_AT_ONCE = 16
"""Requests under way; archives themselves say how many of them they want."""
_INDEX_NAMES = ("index.html", "index.htm", "index.xhtml")


def add_repository_options(parser: argparse.ArgumentParser) -> None:
    """Declare whom to ask, and how."""
    asked = parser.add_argument_group("archives")
    asked.add_argument("--from", dest="repositories", action="append", default=[], metavar="REPOSITORY",
                       help="who may hold pages of the site, as for webkeep recover: a known name, memento=URL, "
                       "cdx=URL, warc=PATH, archive=PATH, a path; as often as needed")  # fmt: skip
    asked.add_argument("--site", metavar="URL", help="where the site is, such as https://example.org/")
    asked.add_argument("--resolve", action="append", default=[], metavar="HOST:PORT:ADDRESS",
                       help="HOST:PORT is at ADDRESS, as in curl")  # fmt: skip
    asked.add_argument("--ledger", type=Path, metavar="FILE", help="the ledger of requests to repositories")
    asked.add_argument(
        "--repositories", dest="declarations", type=Path, metavar="FILE", help="declares further archives, by name"
    )


def open_asked_repositories(
    args: argparse.Namespace, names: Sequence[str], spool: Path, lines: FindingPrinter
) -> AbstractAsyncContextManager[list[Repository]]:
    """The repositories of these names, with the options."""
    settings = FetchSettings(
        connections=_PAGES_AT_ONCE,
        connections_per_host=_PAGES_AT_ONCE,
        resolve=tuple(parse_resolve(each) for each in args.resolve),
    )
    context = RepositoryContext(
        spool, settings, ledger=args.ledger, declarations=args.declarations, report_finding=lines.print_finding
    )
    return open_repositories(names, context)


def require_site(args: argparse.Namespace) -> str:
    """The site's address, which archives are asked by."""
    if not args.site:
        raise UsageError("archives know pages by their addresses; say where the site is with --site URL")
    return str(args.site) if "://" in args.site else f"https://{args.site}/"


def page_key(path: str) -> str:
    """A page under the one name that it has however it is asked for: an index page is its directory."""
    plain, mark, query = path.partition("?")
    directory, slash, name = plain.rpartition("/")
    return f"{directory}{slash}{'' if name in _INDEX_NAMES else name}{mark}{query}"


def path_of(url: str) -> str:
    """The path of a URL, with its query, as pages are named."""
    return decode_path(split_url(url).target or "/")


@dataclass(slots=True)
class RepositoryListing:
    """What one repository says it holds of a site's pages."""

    name: str
    versions: dict[str, list[ListedVersion]] = field(default_factory=dict)
    """Of each page by its key, the newest first."""
    doubt: str = ""
    """Why that may not be all; "" where it is."""


async def list_pages(repository: Repository, site: str, wanted: Collection[str]) -> RepositoryListing:
    """What a repository holds of wanted pages (by their keys); of all there are where none are named."""
    listing = RepositoryListing(repository.traits.name)
    pages = _WantedPages(site, wanted)
    if repository.traits.lists:
        await _read_listing(repository.list_site(site, UrlMatch.HOST), listing, pages)
    else:
        await _ask_each(repository, listing, pages)
    for versions in listing.versions.values():
        versions.sort(key=lambda held: held.moment or Moment(0), reverse=True)
    return listing


class _WantedPages:
    """Which pages of a site are asked for; those of a tree are named from where the site begins on its host."""

    def __init__(self, site: str, keys: Collection[str]) -> None:
        self.site, self.keys = site, keys
        self._start = decode_path(split_url(site).path.rstrip("/"))

    def find_key(self, url: str) -> str | None:
        """Under which key a page is wanted; None where it is not."""
        key = page_key(path_of(url))
        if not self.keys or key in self.keys:
            return key
        below = key.removeprefix(self._start)
        return below if below in self.keys and key.startswith(f"{self._start}/") else None


def page_url(site: str, path: str) -> str:
    """The address of a page by its path, from where the site begins on its host or from the host itself."""
    parts = split_url(site)
    start, escaped = parts.path.rstrip("/"), encode_path(path)
    is_from_host = bool(start) and escaped.startswith(f"{start}/")
    return f"{parts.scheme}://{parts.authority}{'' if is_from_host else start}{escaped}"


async def _read_listing(batches: AsyncIterator[ListingPage], listing: RepositoryListing, wanted: _WantedPages) -> None:
    rows = 0
    async for batch in batches:
        for held in batch.rows:
            rows += 1
            key = wanted.find_key(held.url)
            if key is not None and _may_be_page(held):
                listing.versions.setdefault(key, []).append(held)
        listing.doubt = _listing_doubt(batch.miss, batch.is_capped) or listing.doubt
        if rows > _MAX_LISTED_ROWS:
            listing.doubt = f"it lists more than {_MAX_LISTED_ROWS:,} versions"
            return


async def _ask_each(repository: Repository, listing: RepositoryListing, wanted: _WantedPages) -> None:
    """Page by page, of those who cannot list; a directory by the name of its index too where it is not held itself."""
    limit = asyncio.Semaphore(_PAGES_AT_ONCE)

    async def ask(key: str) -> None:
        for name in ("", *_INDEX_NAMES[:1]) if key.endswith("/") else ("",):
            async with limit:
                await _read_listing(repository.list_versions(page_url(wanted.site, f"{key}{name}")), listing, wanted)
            if key in listing.versions:
                return

    await asyncio.gather(*(ask(key) for key in wanted.keys))


def _listing_doubt(miss: RepositoryMiss | None, is_capped: bool) -> str:
    if miss is not None and miss.reason is not MissReason.NOT_HELD:
        return miss.detail or miss.reason.value
    return "it lists no more than so many versions" if is_capped else ""


def _may_be_page(held: ListedVersion) -> bool:
    is_page = "html" in held.media_type if held.media_type else True
    return is_page and (held.status is None or is_successful(held.status))


async def fetch_versions(
    repository: Repository, listing: RepositoryListing, most: int
) -> AsyncIterator[tuple[str, FetchedVersion]]:
    """Pages with their versions, of each at most so many that differ, the newest first."""
    limit = asyncio.Semaphore(_PAGES_AT_ONCE)

    async def fetch(key: str, held: ListedVersion) -> tuple[str, VersionResult]:
        async with limit:
            return key, await repository.fetch_version(held)

    chosen = [(key, held) for key, versions in listing.versions.items() for held in _distinct(versions)[:most]]
    for start in range(0, len(chosen), _PAGES_AT_ONCE):
        batch = chosen[start : start + _PAGES_AT_ONCE]
        for key, came in await asyncio.gather(*(fetch(*each) for each in batch)):
            if isinstance(came, FetchedVersion):
                yield key, came
            elif came.reason is not MissReason.NOT_HELD:
                listing.doubt = came.detail or came.reason.value


def _distinct(versions: Sequence[ListedVersion]) -> list[ListedVersion]:
    """Versions whose content differs by their digests; those without one all count."""
    seen: set[object] = set()
    kept = []
    for held in versions:
        if held.digest is None or held.digest not in seen:
            seen.add(held.digest)
            kept.append(held)
    return kept
