"""Answers for what cannot be shown: a clear word, and the way to what can."""

from __future__ import annotations

from itertools import islice

from webkeep.memento import Addresses, Version, absent_fields
from webkeep.replay.absence import Absence, absence_of
from webkeep.replay.collection import Wish
from webkeep.replay.context import Context, Missing
from webkeep.replay.message import Answer, Request, text_answer
from webkeep.store.index import Span
from webkeep.url import Match, key_range, surt

_MOST_LISTED = 12


def absent(
    context: Context, request: Request, addresses: Addresses, wish: Wish, is_timegate: bool = False, why: str = ""
) -> Answer:
    """The answer that there is no memento to show; with links all the same, and as a page to those who can read it."""
    absence = Absence(404, "Not shown", why) if why else absence_of(context.looker, wish)
    fields = absent_fields(addresses, wish.url, is_timegate)
    if not _wants_page(request):
        return text_answer(absence.status, f"{wish.url}: {absence.why or 'It is not held here.'}", fields)
    near, siblings = (_nearest(context, wish), _siblings(context, wish.url)) if absence.status == 404 else ((), ())
    answer = context.pages.missing(Missing(wish.url, wish.moment, absence, near, siblings))
    answer.fields = [*fields, *answer.fields]
    return answer


def _wants_page(request: Request) -> bool:
    destination = request.headers.get("sec-fetch-dest", "")
    if destination:
        return destination in ("document", "iframe", "frame")
    return "text/html" in request.headers.get("accept", "")


def _nearest(context: Context, wish: Wish) -> tuple[Version, ...]:
    versions = [found.version for found in islice(context.looker.mementos(surt(wish.url)), 2000)]
    return tuple(sorted(versions, key=lambda each: abs(each.moment.micros - wish.moment.micros))[:_MOST_LISTED])


def _siblings(context: Context, url: str) -> tuple[str, ...]:
    low, high = key_range(url, Match.HOST)
    found: list[str] = []
    for archive in context.collection.archives:
        for entry in islice(archive.index.entries(Span(low, high)), 500):
            shown = context.looker.access.shows(entry.key, entry.moment, context.clock.now())
            is_new = shown and entry.url not in found
            if is_new and archive.revisits.resolve_entry(entry).media_type == "text/html":
                found.append(entry.url)
            if len(found) >= _MOST_LISTED:
                return tuple(found)
    return tuple(found)


def too_far(wish: Wish, days: int) -> str:
    """Why a part of a page is left out that lies outside of what the reader asked for."""
    return f"No version of it lies within {days} days of {wish.moment.iso()}, and no other was asked for."
