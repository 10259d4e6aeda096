"""The guest book: entries that only ever grow in number."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from webkeep.lab.demo.chance import Chance
from webkeep.lab.demo.markup import Layout, anchor, crumbs, page
from webkeep.lab.demo.plan import MINUTE
from webkeep.lab.demo.resource import Edition, Resource
from webkeep.lab.demo.texts import phrases

_SHOWN = 15
_BEFORE = 40


def resources() -> Iterator[Resource]:
    """The guest book; its rules are among the plain pages."""
    yield Resource("/guestbook/", _book, rate=1 / (3 * MINUTE), title="Guest book", section="guestbook", priority=0.7)


def _book(edition: Edition) -> bytes:
    newest = _BEFORE + edition.version
    entries = "".join(_entry(edition.seed, number) for number in range(newest, newest - _SHOWN, -1))
    main = (
        f'{crumbs(edition)}<h1>Guest book</h1><p class="lede">{newest} entries so far. '
        f'{anchor(edition, "/guestbook/rules/", "The rules")} are short.</p><ol class="entries">{entries}</ol>'
    )
    return page(edition, Layout("Guest book", main, "What visitors to the harbour wrote."))


def _entry(seed: int, number: int) -> str:
    chance = Chance(seed, "guest", number)
    who, hello, bye = (chance.pick(phrases(kind)) for kind in ("guests", "greetings", "closings"))
    return (
        f'<li id="entry-{number}"><p>{escape(hello)} {escape(bye)}</p>'
        f'<span class="number">No. {number} · {escape(who)}</span></li>'
    )
