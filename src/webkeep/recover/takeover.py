"""Names that changed hands: whoever has the lost site's name later fills it with something else.

Archives go on capturing such a name, so that the newest version is the wrong one. A break shows in the lists first:
from some version of the home page on, hardly anything is captured that shows the same as before. Whether that is
another owner or a new design, the home pages tell: a new design keeps words, its title or some of its links. If the
newest is of another owner than the oldest, the first one of his is sought by halves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webkeep.document.visible import visible_lines
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset
from webkeep.formats.http1 import parse_response
from webkeep.model import Exchange, Moment
from webkeep.recover.asking import Asker
from webkeep.recover.belonging import error_words
from webkeep.recover.book import Book, Holding, Resource, Taken
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Found
from webkeep.recover.study import links_of
from webkeep.recover.suspicion import Suspicion
from webkeep.url import split

_LOOKED_AT = 512 * 1024
_ALIKE = 0.15
"""Pages that share so many of their words have the same owner."""
_WORD = re.compile(r"\w{4,}")
_TITLE = re.compile(rb"<title[^>]*>(.{0,400}?)</title", re.IGNORECASE | re.DOTALL)
_FEWEST_WORDS = 5
_FEW_LINKS = 0.2
"""Of a strange home page, at most this share of its links leads to what was there before."""
_MOST_LOOKS = 12


@dataclass(frozen=True, slots=True)
class Front:
    """What a home page says and where it leads."""

    words: frozenset[str]
    title: frozenset[str]
    links: frozenset[str]
    """The keys of what it leads to."""


def front_of(exchange: Exchange, key: Callable[[str], str]) -> Front:
    """Read a home page; the site's own name is on every page and tells nothing."""
    headers = parse_response(exchange.response).headers
    content = b"".join(decoded(headers, exchange.body.chunks(), _LOOKED_AT))
    name = frozenset(_WORD.findall(split(exchange.url).host.lower()))
    words = frozenset(_WORD.findall(" ".join(visible_lines(content, charset(headers))).lower()))
    match = _TITLE.search(content)
    title = frozenset(_WORD.findall(match[1].decode("utf-8", "replace").lower())) if match else frozenset()
    _, links = links_of(exchange)
    return Front(words - name, title - name, frozenset(key(url) for url, is_embed, _ in links if not is_embed))


def is_another_owner(before: Front, after: Front, was_there: Callable[[str], bool]) -> bool:
    """Whether a home page is of someone else than an earlier one."""
    if min(len(before.words), len(after.words)) < _FEWEST_WORDS or before.title & after.title:
        return False
    shared = len(before.words & after.words) / min(len(before.words), len(after.words))
    led_back = sum(map(was_there, after.links))
    return shared < _ALIKE and led_back <= _FEW_LINKS * len(after.links)


async def refuse_later_owners(plan: Plan, book: Book, asker: Asker) -> list[str]:
    """Refuse versions from the moment on at which a seed's name changed hands; gives what is to be said of it."""
    told = []
    for seed in plan.seeds:
        home = book.resource(plan.identity.key(seed))
        moment = None if home is None else await _Owners(plan, book, asker, home).changed()
        if moment is not None:
            count = book.refuse_from(moment.micros, Suspicion.TAKEN_OVER.value)
            day = moment.iso()[:10]
            told.append(f"{seed} is someone else's from {day} on; {count:,} versions are left out (--trust-all)")
    return told


class _Owners:
    """Finds out when a home page came to be someone else's."""

    def __init__(self, plan: Plan, book: Book, asker: Asker, home: Resource) -> None:
        self._key = plan.identity.key
        self._book = book
        self._asker = asker
        self._home = home
        self._holdings = _dated(book.holdings(home.id))

    async def changed(self) -> Moment | None:
        """The moment of the first home page of another owner; None where there is none, or it cannot be told."""
        if len(self._holdings) < 2 or not self._is_broken():
            return None
        first = await self._front(0)
        if first is None or not await self._is_strange(first, len(self._holdings) - 1):
            return None
        ours, strange = 0, len(self._holdings) - 1
        while strange - ours > 1:
            middle = (ours + strange) // 2
            if await self._is_strange(first, middle):
                strange = middle
            else:
                ours = middle
        moment = self._moment(strange)
        return moment if self._book.is_break(self._home.id, moment.micros) else None

    def _is_broken(self) -> bool:
        """Whether there is a break somewhere, by some of the moments at which the home page was captured."""
        last = len(self._holdings) - 1
        places = sorted({round(place * last / _MOST_LOOKS) for place in range(1, _MOST_LOOKS + 1)} - {0})
        return any(self._book.is_break(self._home.id, self._moment(place).micros) for place in reversed(places))

    async def _is_strange(self, first: Front, place: int) -> bool:
        """Whether a home page is of someone else than the first; one that cannot be had tells nothing."""
        front = await self._front(place)
        moment = self._moment(place).micros

        def was_there(key: str) -> bool:
            known = self._book.resource(key)
            return known is not None and known.id != self._home.id and self._book.is_held_before(known.id, moment)

        return front is not None and is_another_owner(first, front, was_there)

    async def _front(self, place: int) -> Front | None:
        answer = await self._asker.version(self._holdings[place].held)
        if not isinstance(answer, Found) or error_words(answer.held.status):
            return None
        return front_of(answer.exchange, self._key)

    def _moment(self, place: int) -> Moment:
        return self._holdings[place].held.moment or Moment(0)


def _dated(holdings: Iterable[Holding]) -> list[Holding]:
    """Those that may show a page, by time."""
    usable = [
        each
        for each in holdings
        if each.held.moment is not None and each.taken is Taken.NOT_YET and 200 <= (each.held.status or 200) < 300
    ]
    return sorted(usable, key=lambda each: each.held.moment or Moment(0))
