"""What a recovery came to, URL by URL: out of its book, for summaries, reports and exports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from webkeep.model import Moment
from webkeep.recover.book import Book, Holding, Resource, State, Taken
from webkeep.recover.repository import Held

_TOGETHER = 500


@dataclass(frozen=True, slots=True)
class Taking:
    """A version that was kept."""

    held: Held
    url: str
    """As it stands in the archive."""
    moment: Moment
    retrieved: Moment
    fidelity: str
    truncated: bool
    size: int
    status: int | None = None
    """The HTTP status it came with; None where that is not known."""

    @property
    def is_redirect(self) -> bool:
        """Whether it only leads elsewhere."""
        return 300 <= (self.status or self.held.status or 200) < 400

    @property
    def media_type(self) -> str:
        """As the repository says."""
        return self.held.media_type


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one URL."""

    key: str
    url: str
    is_current: bool
    is_embed: bool
    chosen: Taking | None = None
    """None where it is missing."""
    others: tuple[Held, ...] = ()
    """The versions that were not taken."""
    further: tuple[Taking, ...] = ()
    """Versions that were kept for other pages."""
    refused: tuple[str, ...] = ()
    """Why versions that came were not taken."""
    note: str = ""
    is_skipped: bool = False
    """Whether someone holds it, and it was not gone for."""

    @property
    def repositories(self) -> list[str]:
        """Everyone who holds a version, by what they say."""
        held = [*(taking.held for taking in (self.chosen, *self.further) if taking is not None), *self.others]
        return list(dict.fromkeys(each.repository for each in held))


def lines(book: Book) -> Iterator[Line]:
    """What became of every URL that was gone for or is held, by their keys."""
    resources = book.resources()
    while some := list(islice(resources, _TOGETHER)):
        held = book.holdings_of([each.id for each in some])
        for resource in some:
            if resource.state is not State.QUEUED or resource.chosen is not None:
                yield _line(resource, held[resource.id])


def line_of(book: Book, key: str) -> Line | None:
    """What became of the URL of a key."""
    resource = book.resource(key)
    return None if resource is None else _line(resource, book.holdings(resource.id))


def _line(resource: Resource, holdings: list[Holding]) -> Line:
    taken = {each.id: _taking(each) for each in holdings if each.taken is Taken.STORED and each.facts}
    chosen = taken.pop(resource.chosen, None) if resource.chosen is not None else None
    if chosen is None and taken:
        chosen = taken.pop(next(iter(taken)))
    return Line(
        resource.key,
        resource.url if chosen is None else chosen.url,
        resource.is_current,
        resource.is_embed,
        chosen,
        tuple(each.held for each in holdings if each.taken is not Taken.STORED),
        tuple(taken.values()),
        tuple(each.remark for each in holdings if each.taken is Taken.REFUSED),
        resource.note,
        resource.state is State.LISTED,
    )


def _taking(holding: Holding) -> Taking:
    facts: dict[str, Any] = json.loads(holding.facts)
    return Taking(
        holding.held,
        str(facts["url"]),
        Moment(int(facts["moment"])),
        Moment(int(facts["retrieved"])),
        str(facts["fidelity"]),
        bool(facts["truncated"]),
        int(facts["bytes"]),
        facts.get("status"),
    )
