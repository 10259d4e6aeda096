"""Rewritten pages a second on one core, beside parsing alone: python -m bench.rewrite"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence

from turbohtml import parse

from bench.reference_site import reference_site
from webkeep.extract import DocumentKind
from webkeep.replay.delivery.replay_rewriter import replay_edits, replay_renaming
from webkeep.replay.shim.replay_host import ReplayNaming
from webkeep.replay.shim.scripts import shim_tag
from webkeep.rewrite import LinkRenaming, rewrite_document

_ORIGIN = "https://www.example.com"
_PAGE = f"{_ORIGIN}/pages/3/3.html"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200, help="how many pages of the reference site")
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many counts")
    arguments = parser.parse_args()
    files = reference_site(arguments.pages).files()
    pages = [path.read_bytes() for name, path in files.items() if path.suffix == ".html"]
    # The reference site names no host in its links; many sites do.
    absolute = [page.replace(b'="/', f'="{_ORIGIN}/'.encode()) for page in pages]
    rates = {
        "parsed": _rate(_parsed, pages, arguments.rounds),
        "replayed": _rate(_replayed, pages, arguments.rounds),
        "replayed_all_links_absolute": _rate(_replayed, absolute, arguments.rounds),
        "mirrored_all_links_renamed": _rate(_mirrored, pages, arguments.rounds),
    }
    size = sum(map(len, pages)) / len(pages)
    print(json.dumps({"pages": len(pages), "bytes_a_page": round(size), "pages_a_second": rates}))


def _rate(work: Callable[[bytes], object], pages: Sequence[bytes], rounds: int) -> int:
    """Pages for each second of processor time, in the best round."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for page in pages:
            work(page)
        best = min(best, time.process_time() - start)
    return round(len(pages) / best)


def _parsed(page: bytes) -> object:
    return parse(page.decode(), positions=False, source_locations=True)


_NAMING = ReplayNaming("http://localhost:8080", "20240301120000")
_REPLAY = replay_renaming(_NAMING)
_EDITS = replay_edits(shim_tag("http://20240301120000s-www-example-com.localhost:8080", _ORIGIN))
_MIRROR = LinkRenaming(lambda link: f"../../site/{link.url.partition('//')[2]}")


def _replayed(page: bytes) -> bytes:
    return rewrite_document(page, _PAGE, _REPLAY, kind=DocumentKind.HTML, charset="utf-8", edits=_EDITS)


def _mirrored(page: bytes) -> bytes:
    return rewrite_document(page, _PAGE, _MIRROR, kind=DocumentKind.HTML, charset="utf-8")


if __name__ == "__main__":
    main()
