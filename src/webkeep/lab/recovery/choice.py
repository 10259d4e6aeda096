"""Choosing among many versions: what the newest, the nearest and the fitting ones come to, by the truth.

Several archives visited a site over some years, each at moments of its own. Resources changed meanwhile, and what each
was at any moment is known here, so that a page shown with a part that was another at the page's moment is counted as
what it is: a violation. Everyone chooses from the same versions and shows as many parts.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from webkeep.lab.coherence.plot import Line
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.model import Digest, Moment
from webkeep.recover.composing import Leaf, composed
from webkeep.recover.worth import Tier, Version, Wish

BEGIN = Moment.parse("2010-01-01T00:00:00Z")
_DAY = 86_400.0
OURS, NEWEST, NEAREST = "ours", "newest", "nearest"
COLUMNS = (
    Column("violations", "violations", digits=2),
    Column("spread_days", "days apart", is_share=False),
    Column("distance_days", "days from the moment", is_share=False),
    Column("complete", "parts shown"),
)
_REACH = 90.0


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource with its changes, and the versions of it that archives hold."""

    changes: tuple[float, ...]
    """The days on which it changed."""
    versions: tuple[Version, ...]

    def state(self, micros: int) -> int:
        """Which of its states it was in at a moment."""
        return bisect_right(self.changes, day_of(micros))


@dataclass(frozen=True, slots=True)
class Case:
    """A page, what it embeds, and the moment that it is wanted for."""

    page: Resource
    parts: Mapping[str, Resource]
    wish: Wish


Shown = tuple[Version, Mapping[str, Version]]
"""A version of a page, and those of its parts."""


def day_of(micros: int) -> float:
    """The day of a moment, from the first on."""
    return (micros - BEGIN.micros) / 1e6 / _DAY


def cases(count: int, seed: int = 1, years: float = 3.0, archives: int = 4, parts: int = 6) -> Iterator[Case]:
    """Pages with their parts, as archives hold them."""
    for number in range(count):
        chance = random.Random(f"{seed}/{number}/versions")
        visits = [_visits(years, chance) for _ in range(archives)]
        page = _resource(visits, chance.uniform(0.5, 12), 0.9, years, chance)
        embedded = {
            f"part{place}": _resource(visits, chance.lognormvariate(0.5, 1), chance.uniform(0.3, 0.9), years, chance)
            for place in range(parts)
        }
        wanted = BEGIN.plus(chance.uniform(0.2, 0.8) * years * 365 * _DAY)
        if page.versions:
            yield Case(page, embedded, Wish(at=wanted))


def _visits(years: float, chance: random.Random) -> list[float]:
    """When an archive came by: regularly, more or less."""
    gap = chance.uniform(15, 120)
    return [gap * place * chance.uniform(0.9, 1.1) for place in range(1, int(years * 365 / gap))]


def _resource(
    visits: Sequence[Sequence[float]], per_year: float, taken: float, years: float, chance: random.Random
) -> Resource:
    """A resource that changes so often, and of which each visit takes a version with this chance, in some days."""
    changes, day = [], chance.expovariate(per_year / 365)
    while day < years * 365:
        changes.append(day)
        day += chance.expovariate(per_year / 365)
    days = sorted(day + chance.expovariate(1.0) for each in visits for day in each if chance.random() < taken)
    name = chance.random()
    return Resource(
        tuple(changes),
        tuple(
            Version(
                number,
                Tier.WHOLE,
                BEGIN.plus(day * _DAY).micros,
                digest=Digest.of("sha1", [f"{name}/{bisect_right(changes, day)}".encode()]),
            )
            for number, day in enumerate(days)
        ),
    )


def ours(case: Case) -> Shown:
    """The page together with its parts, so that they fit."""
    best = composed([_leaf(case, version) for version in case.page.versions], _held(case), case.wish, _REACH)
    if best is None:
        raise ValueError("a case has a page with versions")
    return best.page, {part.url: part.version for part in best.parts if part.version is not None}


def newest(case: Case) -> Shown:
    """The newest of everything."""
    return case.page.versions[-1], {url: each.versions[-1] for url, each in case.parts.items() if each.versions}


def nearest(case: Case) -> Shown:
    """Of everything what lies nearest to the wanted moment."""
    return _nearest(case, case.page), {url: _nearest(case, each) for url, each in case.parts.items() if each.versions}


RULES: dict[str, Callable[[Case], Shown]] = {OURS: ours, NEWEST: newest, NEAREST: nearest}


def _nearest(case: Case, resource: Resource) -> Version:
    return min(resource.versions, key=lambda each: _days_off(case, each))


def _leaf(case: Case, version: Version) -> Leaf:
    return Leaf(version, tuple(case.parts))


def _held(case: Case) -> dict[str, Sequence[Version]]:
    return {url: each.versions for url, each in case.parts.items()}


def figures(case: Case, shown: Shown) -> dict[str, float]:
    """What a choice comes to, by the truth."""
    page, parts = shown
    days = [day_of(each.micros or 0) for each in (page, *parts.values())]
    return {
        "violations": _violations(case, page, parts) / len(parts) if parts else 0.0,
        "spread_days": max(days) - min(days),
        "distance_days": _days_off(case, page),
        "complete": len(parts) / len(case.parts),
    }


def _violations(case: Case, page: Version, parts: Mapping[str, Version]) -> int:
    """How many parts were another at the moment of the page."""
    moment = page.micros or 0
    return sum(case.parts[url].state(each.micros or 0) != case.parts[url].state(moment) for url, each in parts.items())


def means(made: Sequence[Case], rule: Callable[[Case], Shown]) -> dict[str, float]:
    """The means of a rule over all cases."""
    told = [figures(case, rule(case)) for case in made]
    return {column.name: fmean(each[column.name] for each in told) for column in COLUMNS}


def choice_block(count: int = 200, seed: int = 1) -> Block:
    """The three rules beside one another."""
    made = list(cases(count, seed))
    rows = tuple(row(name, COLUMNS, means(made, rule)) for name, rule in RULES.items())
    return Block("choice", "Versions that fit together in time", "rule", COLUMNS, rows)


def archives_block(count: int = 60, seed: int = 1) -> Block:
    """Violations by each rule, the more archives there are."""
    columns = tuple(Column(name, name, digits=2) for name in RULES)
    rows = []
    for archives in (1, 2, 4, 8):
        made = list(cases(count, seed, archives=archives))
        rows.append(
            row(str(archives), columns, {name: means(made, rule)["violations"] for name, rule in RULES.items()})
        )
    lines = tuple(
        Line(column.heading, tuple((float(each.label), each.cells[place].value or 0.0) for each in rows), f"l{place}")
        for place, column in enumerate(columns)
    )
    title = "Violations, the more archives there are"
    return Block("choice", title, "archives", columns, tuple(rows), (), lines, "archives", "share of parts")


def regret(case: Case) -> int:
    """How many more violations our choice has than the best of all choices, which knows the truth."""
    page, parts = ours(case)
    return _violations(case, page, parts) - min(
        _violations(case, version, dict(zip(parts, chosen, strict=True)))
        for version in _within_reach(case)
        for chosen in product(*(case.parts[url].versions for url in parts))
    )


def _within_reach(case: Case) -> list[Version]:
    """The versions of the page that may be chosen."""
    nearest_page = _days_off(case, _nearest(case, case.page))
    return [each for each in case.page.versions if _days_off(case, each) <= nearest_page + _REACH]


def _days_off(case: Case, version: Version) -> float:
    wanted = case.wish.at.micros if case.wish.at is not None else 0
    return abs((version.micros or 0) - wanted) / 1e6 / _DAY
