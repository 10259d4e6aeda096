"""TimeMaps as answers: streamed, and paged where they are long."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from webkeep.memento import Addresses, Page, Stretch, TimeMapAddress, Version, timemap_fields, timemap_text
from webkeep.memento.timemap import MEDIA_TYPES
from webkeep.model import CHUNK, Moment
from webkeep.replay.absence import absence_of
from webkeep.replay.collection import Found, Wish
from webkeep.replay.context import Context
from webkeep.replay.message import Answer, text_answer, told_type
from webkeep.url import surt

PAGE = 100_000
"""How many mementos a page has at most; another page begins with another second."""

_AT_ONCE = 500


def timemap(context: Context, addresses: Addresses, asked: TimeMapAddress, page_size: int = PAGE) -> Answer:
    """The answer to a request for a TimeMap."""
    key = surt(asked.url)
    found = context.looker.mementos(key, asked.since)
    opening = list(islice(found, _AT_ONCE))
    if not opening:
        return _empty(context, addresses, asked)
    page = _page(context, key, asked, opening, page_size)
    until = page.next.first.moment if page.next else None
    versions = _until(chain(opening, found), until)
    body = _encoded(timemap_text(addresses, page, versions))
    fields = [*told_type(MEDIA_TYPES[asked.format]), *timemap_fields(addresses, asked.url)]
    if len(opening) < _AT_ONCE:
        return Answer(200, fields, b"".join(body))
    return Answer(200, fields, body)


def _empty(context: Context, addresses: Addresses, asked: TimeMapAddress) -> Answer:
    absence = absence_of(context.looker, Wish(asked.url, asked.since or context.clock.now()))
    why = absence.why or ("no mementos lie there" if asked.since else "there are no mementos of it")
    return text_answer(absence.status, f"{asked.url}: {why}", timemap_fields(addresses, asked.url))


def _page(context: Context, key: str, asked: TimeMapAddress, opening: list[Found], size: int) -> Page:
    first = opening[0].version
    if context.looker.access.rules:  # then nothing but a look at each tells what may be seen
        end = deque(context.looker.mementos(key, asked.since), maxlen=1).pop()
        return Page(asked.url, asked.format, first, end.version, asked.since)
    whole = len(opening) < _AT_ONCE
    following = None if whole and size >= _AT_ONCE else _following(context, key, first, size)
    last = opening[-1].version if whole and following is None else _end(context, key, first, following)
    earlier = _earlier(context, key, first.moment, size) if asked.since else None
    return Page(asked.url, asked.format, first, last, asked.since, earlier, _stretch(context, key, following, size))


def _stretch(context: Context, key: str, first: Version | None, size: int) -> Stretch | None:
    """The page that begins with a version."""
    if first is None:
        return None
    return Stretch(first, _end(context, key, first, _following(context, key, first, size)))


def _following(context: Context, key: str, first: Version, size: int) -> Version | None:
    """The first version of the page after one, which begins with a second of its own."""
    reached = [entry for view in context.collection.views(key) if (entry := view.after(first.moment, size))]
    if not reached:
        return None
    end = min(reached, key=lambda entry: entry.moment)
    found = context.collection.first(key, Moment((end.moment.micros // 1_000_000 + 1) * 1_000_000))
    return None if found is None else Version(found.url, found.moment)


def _end(context: Context, key: str, first: Version, following: Version | None) -> Version:
    """The last version of a page, by the first of the next."""
    entry = context.collection.last(key) if following is None else context.collection.last(key, following.moment)
    return first if entry is None else Version(entry.url, entry.moment)


def _earlier(context: Context, key: str, moment: Moment, size: int) -> Stretch | None:
    """The page before one that begins at a moment."""
    begins = [view.back(moment, size) for view in context.collection.views(key) if view.before(moment)]
    found = [entry.moment for entry in begins if entry is not None and entry.moment < moment]
    first = context.collection.first(key, max(found)) if found else None
    end = context.collection.last(key, moment)
    if first is None or end is None or first.moment >= moment:
        return None
    return Stretch(Version(first.url, first.moment), Version(end.url, end.moment))


def _until(found: Iterable[Found], end: Moment | None) -> Iterator[Version]:
    for each in found:
        if end is not None and each.entry.moment >= end:
            return
        yield each.version


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    """Pieces gathered into larger ones."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield "".join(held).encode()
            held, size = [], 0
    if held:
        yield "".join(held).encode()
