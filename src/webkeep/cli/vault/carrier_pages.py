"""The pages that can carry blocks: those of a folder of files, or of whatever `webkeep recover` can read; with their
sizes, the clicks that lead to them, and whether they may be archived. The most visible come first.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.vault.repository_pages import (
    fetch_versions,
    list_pages,
    open_asked_repositories,
    page_key,
    path_of,
    require_site,
)
from webkeep.errors import UsageError
from webkeep.extract import MAX_READ_BYTES, extract_content_links, meta_directives, read_response_content
from webkeep.extract.documents import DecodedContent
from webkeep.url import split_url
from webkeep.vault import CarrierPage, encode_path
from webkeep.vault.blocks import strip_blocks
from webkeep.vault.planning import PageTraits
from webkeep.vault.protection import find_carriers

_TREE_ORIGIN = "http://site.invalid"
"""Pages of a folder link to each other as if they were here."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page as it was found."""

    path: str
    size: int
    links: frozenset[str]
    """Keys of the pages of this site that it leads to."""
    may_be_archived: bool


def read_pages(args: argparse.Namespace, out: Output) -> list[FoundPage]:
    """The pages of a tree, or as they were captured; raises UsageError where there are none."""
    source = args.tree or args.captured
    out.status(f"reading the pages of {source}")
    found = list(_read_tree(args.tree)) if args.tree else asyncio.run(_read_repository(args, args.captured, out))
    out.status("")
    if not found:
        raise UsageError(f"{source} has no HTML pages; name a tree of pages (--tree) or a capture of them (--captured)")
    return found


def _read_tree(tree: Path) -> Iterator[FoundPage]:
    for page in find_carriers(tree):
        with (tree / page.path[1:]).open("rb") as stream:
            content = stream.read(MAX_READ_BYTES)
        yield _build_page(page.path, page.size_bytes, content, _TREE_ORIGIN + encode_path(page.path))


async def _read_repository(args: argparse.Namespace, source: str, out: Output) -> list[FoundPage]:
    site, found = require_site(args), []
    with tempfile.TemporaryDirectory(prefix="webkeep-") as spool:
        async with open_asked_repositories(args, [source], Path(spool), FindingPrinter(out)) as (repository,):
            listing = await list_pages(repository, site, ())
            async for key, version in fetch_versions(repository, listing, 1):
                content = strip_blocks(read_response_content(version.exchange).content)
                found.append(_build_page(key, len(content), content, version.exchange.url))
    return found


def _build_page(path: str, size: int, content: bytes, url: str) -> FoundPage:
    host = split_url(url).authority
    links = (each.url for each in extract_content_links(DecodedContent(url, content, "text/html")))
    keys = frozenset(page_key(path_of(link)) for link in links if split_url(link).authority == host)
    forbids = any(each.name == "noarchive" for each in meta_directives(content))
    return FoundPage(path, size, keys, not forbids)


def order_pages(pages: Sequence[FoundPage]) -> tuple[list[FoundPage], list[PageTraits]]:
    """Pages by the clicks that lead to them from the start page, and what of them decides how they are archived."""
    hops = count_hops({page_key(page.path): page.links for page in pages})
    ordered = sorted(pages, key=lambda page: (hops.get(page_key(page.path), len(pages)), page.path))
    return ordered, [PageTraits(page.path, hops.get(page_key(page.path)), page.may_be_archived) for page in ordered]


def count_hops(links: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """How many clicks lead from the start page to each page."""
    start = "/" if "/" in links else min(links, key=lambda key: (key.count("/"), len(key), key))
    hops, waiting = {start: 0}, deque([start])
    while waiting:
        page = waiting.popleft()
        for target in links[page]:
            if target in links and target not in hops:
                hops[target] = hops[page] + 1
                waiting.append(target)
    return hops


def carrier_pages(pages: Sequence[FoundPage], shares: Sequence[float]) -> tuple[CarrierPage, ...]:
    """The pages as a plan has them."""
    return tuple(CarrierPage(page.path, page.size, share) for page, share in zip(pages, shares, strict=True))
