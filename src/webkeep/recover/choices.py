"""Choices of a person, who knows better: which version of which URL is to be taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.recover.book import Book, Holding
from webkeep.recover.known import Declaration, named
from webkeep.recover.plan import Plan

_FORM = "write it as URL=MOMENT or URL=MOMENT@REPOSITORY, such as http://lost.example/=2009-03-14@wayback"


def read_choice(text: str) -> tuple[str, Moment, str]:
    """A choice as a person writes it: the URL, the moment, and the repository if one is named."""
    url, equals, rest = text.strip().rpartition("=")
    moment, _, repository = rest.partition("@")
    if not equals or not url or not moment:
        raise UsageError(f"not a choice: {text[:200]!r}; {_FORM}")
    return url, Moment.parse(moment), repository


def with_known_name(text: str, declarations: Mapping[str, Declaration]) -> str:
    """The same choice, its repository by the name that the book has: `ia` is `internet-archive` there."""
    choice, at, repository = text.rpartition("@")
    found = named(repository, declarations) if at else None
    return text if found is None else f"{choice}@{found.name}"


def overrule(book: Book, plan: Plan, choices: Iterable[str]) -> list[str]:
    """Have the versions taken that a person chose; gives what could not be chosen, and why."""
    not_chosen = []
    for text in choices:
        url, moment, repository = read_choice(text)
        resource = book.resource(plan.identity.key(url))
        holdings = [] if resource is None else book.holdings(resource.id)
        number = nearest(holdings, moment, repository)
        if resource is None or number is None:
            not_chosen.append(f"{url}: no version of it is known; run the recovery first, then choose")
            continue
        book.choose(resource.id, number)
    return not_chosen


def nearest(holdings: Sequence[Holding], moment: Moment, repository: str = "") -> int | None:
    """The held version nearest to a moment, in a repository if one is named."""
    dated = [
        (abs(each.held.moment.micros - moment.micros), each.id)
        for each in holdings
        if each.held.moment is not None and repository in ("", each.held.repository)
    ]
    return min(dated)[1] if dated else None
