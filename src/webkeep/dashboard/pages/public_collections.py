"""The page that everybody sees of a public collection, the small one for frames of other sites, and its picture."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from webkeep.dashboard.collection_pictures import CollectionPictures, picture_path
from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.collections import find_collection
from webkeep.dashboard.public_replay import public_replay, search_words
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionFacts, CollectionSeed
from webkeep.service.run import measure_collections

if TYPE_CHECKING:
    from webkeep.replay.words import TextHit

_SHOWN_SEEDS = 100
"""Seeds on the public page; further ones are on the next."""
_EMBEDDED_SEEDS = 12
"""Seeds in a frame, which is small."""
_MAX_QUERY_CHARS = 200
"""Of what people search for."""
EMBED_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *"
)
"""Of the page that other sites show: no scripts, nothing from outside, and in any frame."""
_FOUND = re.compile("\x02([^\x02\x03]*)\x03")

pictures = CollectionPictures()


@dataclass(frozen=True, slots=True)
class ShownSeed:
    """A seed as everybody sees it."""

    url: str
    captured: Moment | None
    replay_url: str
    """Where it is shown as it was; empty where it is not."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A page in which words were found."""

    hit: TextHit
    replay_url: str

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """Its excerpt in pieces, and which of them are what was asked for."""
        parts = _FOUND.split(self.hit.excerpt)
        return [(part, place % 2 == 1) for place, part in enumerate(parts) if part]


async def show_public(request: Request) -> Response:
    """The page of a collection for everybody, where it is public; else for those who may read it."""
    facts = await _find_public(request)
    values = await asyncio.to_thread(_public_values, request, facts, _SHOWN_SEEDS)
    return render(request, "collection_public.html", facts=facts, **values)


async def show_embedded(request: Request) -> Response:
    """The same, small, for a frame in the page of another site; of public collections alone."""
    facts = await find_collection(request)
    if not facts.is_public:
        raise HTTPException(404)
    values = await asyncio.to_thread(_public_values, request, facts, _EMBEDDED_SEEDS)
    response = render(request, "collection_embedded.html", facts=facts, **values)
    response.headers["content-security-policy"] = EMBED_POLICY
    return response


async def answer_picture(request: Request) -> Response:
    """The picture of a collection, for whoever may see its page."""
    facts = await _find_public(request)
    path = picture_path(page_of(request).service, facts.name)
    if not await asyncio.to_thread(path.is_file):
        raise HTTPException(404)
    headers = {"content-security-policy": "sandbox; default-src 'none'", "cache-control": "max-age=300"}
    return FileResponse(path, media_type="image/png", headers=headers)


async def choose_picture(request: Request) -> Response:
    """Take the picture of a collection anew, of a page that is named or of one of its seeds."""
    facts, form, service = await find_collection(request), await read_form(request), page_of(request).service
    chosen = await asyncio.to_thread(service.collections.choose_picture, facts.name, text_of(form, "page"))
    await asyncio.to_thread(pictures.take, service, chosen)
    return see_other(f"/public/{facts.name}")


async def _find_public(request: Request) -> CollectionFacts:
    facts = await find_collection(request)
    if not facts.is_public and not page_of(request).visitor.may(Permission.READ, facts.name):
        raise HTTPException(404)
    return facts


def _public_values(request: Request, facts: CollectionFacts, shown: int) -> dict[str, object]:
    page, asked = page_of(request), request.query_params
    query, first = asked.get("q", "").strip()[:_MAX_QUERY_CHARS], asked.get("from", "0")
    start = int(first) if first.isdecimal() and len(first) < 9 else 0
    base = public_replay.address(page.service) if facts.is_public else ""
    seeds, count = page.service.collections.search_seeds(facts.name, query, first=start, limit=shown)
    hits = search_words(page.service, facts, query) if query else []
    ((_, figure),) = measure_collections(page.service.collections, page.service.jobs, [facts])
    following = start + shown
    return {
        "seeds": _show_seeds(page, seeds, base),
        "count": count,
        "query": query,
        "hits": [ShownHit(hit, f"{base}/view/{hit.moment.digits()}/{hit.url}" if base else "") for hit in hits],
        "figure": figure,
        "has_picture": pictures.find(page.service, facts) is not None,
        "following": following if following < count else None,
        "address": page.service.settings.place.public_url.rstrip("/") or str(request.base_url).rstrip("/"),
    }


def _show_seeds(page: PageContext, seeds: list[CollectionSeed], base: str) -> list[ShownSeed]:
    latest = page.service.jobs.latest_captures_of([seed.id for seed in seeds])
    shown = []
    for seed in seeds:
        job = latest.get(seed.id)
        captured = None if job is None else job.ended
        address = f"{base}/view/{captured.digits()}/{seed.url}" if base and captured else ""
        shown.append(ShownSeed(seed.url, captured, address))
    return shown
