"""The demo town's guest book: entries that only ever grow in number, how often one comes, and how many are shown."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from webkeep.lab.demo.page_markup import PageLayout, render_anchor, render_breadcrumbs, render_page
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.lab.demo.site_plan import MINUTE_SECONDS
from webkeep.lab.demo.site_resource import DemoResource, ResourceVersion
from webkeep.lab.demo.texts import read_phrases

_ENTRIES_SHOWN = 15
"""The newest entries, as many as the page shows."""
_FIRST_ENTRIES = 40
"""Entries there were before the site began, so that its pages are full from the start."""


def resources() -> Iterator[DemoResource]:
    """The guest book; its rules are among the plain pages."""
    yield DemoResource(
        "/guestbook/",
        _render_guestbook,
        rate=1 / (3 * MINUTE_SECONDS),
        title="Guest book",
        section="guestbook",
        priority=0.7,
    )


def _render_guestbook(edition: ResourceVersion) -> bytes:
    newest = _FIRST_ENTRIES + edition.version
    entries = "".join(_render_entry(edition.seed, number) for number in range(newest, newest - _ENTRIES_SHOWN, -1))
    main = (
        f'{render_breadcrumbs(edition)}<h1>Guest book</h1><p class="lede">{newest} entries so far. '
        f'{render_anchor(edition, "/guestbook/rules/", "The rules")} are short.</p><ol class="entries">{entries}</ol>'
    )
    return render_page(edition, PageLayout("Guest book", main, "What visitors to the harbour wrote."))


def _render_entry(seed: int, number: int) -> str:
    chance = SeededRandom(seed, "guest", number)
    who, hello, bye = (chance.pick(read_phrases(kind)) for kind in ("guests", "greetings", "closings"))
    return (
        f'<li id="entry-{number}"><p>{escape(hello)} {escape(bye)}</p>'
        f'<span class="number">No. {number} · {escape(who)}</span></li>'
    )
