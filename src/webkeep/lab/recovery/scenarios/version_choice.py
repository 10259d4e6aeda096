"""Scenario choice: among many versions of pages and their parts, what the newest, the nearest and the fitting ones come
to, judged by the truth; and by the number of archives.

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

from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row, plot_columns
from webkeep.model import Digest, Moment
from webkeep.recover.judging import AvailableVersion, PageCandidate, VersionPreference, VersionTier, choose_composition

FIRST_MOMENT = Moment.parse("2010-01-01T00:00:00Z")
_DAY_SECONDS = 86_400.0
OUR_RULE, NEWEST_RULE, NEAREST_RULE = "ours", "newest", "nearest"
COLUMNS = (
    ResultColumn("violations", "violations", digits=2),
    ResultColumn("spread_days", "days apart", is_share=False),
    ResultColumn("distance_days", "days from the moment", is_share=False),
    ResultColumn("complete", "parts shown"),
)
_REACH_DAYS = 90.0
"""The default of `webkeep recover --reach`."""


@dataclass(frozen=True, slots=True)
class LabResource:
    """A resource with its changes, and the versions of it that archives hold."""

    changes: tuple[float, ...]
    """The days on which it changed."""
    versions: tuple[AvailableVersion, ...]

    def state_at(self, micros: int) -> int:
        """Which of its states it was in at a moment."""
        return bisect_right(self.changes, day_from_micros(micros))


@dataclass(frozen=True, slots=True)
class ChoiceCase:
    """A page, what it embeds, and the moment that it is wanted for."""

    page: LabResource
    parts: Mapping[str, LabResource]
    preference: VersionPreference


ChosenVersions = tuple[AvailableVersion, Mapping[str, AvailableVersion]]
"""A version of a page, and those of its parts."""


def day_from_micros(micros: int) -> float:
    """The day of a moment, from the first on."""
    return (micros - FIRST_MOMENT.micros) / 1e6 / _DAY_SECONDS


def draw_cases(
    count: int, seed: int = 1, years: float = 3.0, archives: int = 4, parts: int = 6
) -> Iterator[ChoiceCase]:
    """Pages with their parts, as archives hold them."""
    for number in range(count):
        chance = random.Random(f"{seed}/{number}/versions")
        visits = [_draw_visits(years, chance) for _ in range(archives)]
        page = _draw_resource(visits, chance.uniform(0.5, 12), 0.9, years, chance)
        embedded = {
            f"part{place}": _draw_resource(
                visits, chance.lognormvariate(0.5, 1), chance.uniform(0.3, 0.9), years, chance
            )
            for place in range(parts)
        }
        wanted = FIRST_MOMENT.plus(chance.uniform(0.2, 0.8) * years * 365 * _DAY_SECONDS)
        if page.versions:
            yield ChoiceCase(page, embedded, VersionPreference(at=wanted))


def _draw_visits(years: float, chance: random.Random) -> list[float]:
    """When an archive came by: regularly, more or less."""
    gap = chance.uniform(15, 120)
    return [gap * place * chance.uniform(0.9, 1.1) for place in range(1, int(years * 365 / gap))]


def _draw_resource(
    visits: Sequence[Sequence[float]], per_year: float, taken: float, years: float, chance: random.Random
) -> LabResource:
    """A resource that changes so often, and of which each visit takes a version with this chance, in some days."""
    changes, day = [], chance.expovariate(per_year / 365)
    while day < years * 365:
        changes.append(day)
        day += chance.expovariate(per_year / 365)
    days = sorted(day + chance.expovariate(1.0) for each in visits for day in each if chance.random() < taken)
    name = chance.random()
    return LabResource(
        tuple(changes),
        tuple(
            AvailableVersion(
                number,
                VersionTier.WHOLE,
                FIRST_MOMENT.plus(day * _DAY_SECONDS).micros,
                digest=Digest.from_chunks("sha1", [f"{name}/{bisect_right(changes, day)}".encode()]),
            )
            for number, day in enumerate(days)
        ),
    )


def choose_fitting(case: ChoiceCase) -> ChosenVersions:
    """The page together with its parts, so that they fit."""
    best = choose_composition(
        [_version_leaf(case, version) for version in case.page.versions],
        _held_parts(case),
        case.preference,
        _REACH_DAYS,
    )
    if best is None:
        raise ValueError("a case has a page with versions")
    return best.page, {part.url: part.version for part in best.parts if part.version is not None}


def choose_newest(case: ChoiceCase) -> ChosenVersions:
    """The newest of everything."""
    return case.page.versions[-1], {url: each.versions[-1] for url, each in case.parts.items() if each.versions}


def choose_nearest(case: ChoiceCase) -> ChosenVersions:
    """Of everything what lies nearest to the wanted moment."""
    return _nearest_version(case, case.page), {
        url: _nearest_version(case, each) for url, each in case.parts.items() if each.versions
    }


CHOICE_RULES: dict[str, Callable[[ChoiceCase], ChosenVersions]] = {
    OUR_RULE: choose_fitting,
    NEWEST_RULE: choose_newest,
    NEAREST_RULE: choose_nearest,
}


def _nearest_version(case: ChoiceCase, resource: LabResource) -> AvailableVersion:
    return min(resource.versions, key=lambda each: _days_off(case, each))


def _version_leaf(case: ChoiceCase, version: AvailableVersion) -> PageCandidate:
    return PageCandidate(version, tuple(case.parts))


def _held_parts(case: ChoiceCase) -> dict[str, Sequence[AvailableVersion]]:
    return {url: each.versions for url, each in case.parts.items()}


def choice_figures(case: ChoiceCase, shown: ChosenVersions) -> dict[str, float]:
    """What a choice comes to, by the truth."""
    page, parts = shown
    days = [day_from_micros(each.micros or 0) for each in (page, *parts.values())]
    return {
        "violations": _count_violations(case, page, parts) / len(parts) if parts else 0.0,
        "spread_days": max(days) - min(days),
        "distance_days": _days_off(case, page),
        "complete": len(parts) / len(case.parts),
    }


def _count_violations(case: ChoiceCase, page: AvailableVersion, parts: Mapping[str, AvailableVersion]) -> int:
    """How many parts were another at the moment of the page."""
    moment = page.micros or 0
    return sum(
        case.parts[url].state_at(each.micros or 0) != case.parts[url].state_at(moment) for url, each in parts.items()
    )


def mean_figures(made: Sequence[ChoiceCase], rule: Callable[[ChoiceCase], ChosenVersions]) -> dict[str, float]:
    """The means of a rule over all cases."""
    told = [choice_figures(case, rule(case)) for case in made]
    return {column.name: fmean(each[column.name] for each in told) for column in COLUMNS}


def choice_block(count: int = 200, seed: int = 1) -> ResultTable:
    """The three rules beside one another."""
    made = list(draw_cases(count, seed))
    rows = tuple(build_row(name, COLUMNS, mean_figures(made, rule)) for name, rule in CHOICE_RULES.items())
    return ResultTable("choice", "Versions that fit together in time", "rule", COLUMNS, rows)


def archives_block(count: int = 60, seed: int = 1) -> ResultTable:
    """Violations by each rule, the more archives there are."""
    columns = tuple(ResultColumn(name, name, digits=2) for name in CHOICE_RULES)
    rows = []
    for archives in (1, 2, 4, 8):
        made = list(draw_cases(count, seed, archives=archives))
        rows.append(
            build_row(
                str(archives),
                columns,
                {name: mean_figures(made, rule)["violations"] for name, rule in CHOICE_RULES.items()},
            )
        )
    lines = plot_columns(columns, rows)
    title = "Violations, the more archives there are"
    return ResultTable("choice", title, "archives", columns, tuple(rows), (), lines, "archives", "share of parts")


def count_regret(case: ChoiceCase) -> int:
    """How many more violations our choice has than the best of all choices, which knows the truth."""
    page, parts = choose_fitting(case)
    return _count_violations(case, page, parts) - min(
        _count_violations(case, version, dict(zip(parts, chosen, strict=True)))
        for version in _versions_within_reach(case)
        for chosen in product(*(case.parts[url].versions for url in parts))
    )


def _versions_within_reach(case: ChoiceCase) -> list[AvailableVersion]:
    """The versions of the page that may be chosen."""
    nearest_page = _days_off(case, _nearest_version(case, case.page))
    return [each for each in case.page.versions if _days_off(case, each) <= nearest_page + _REACH_DAYS]


def _days_off(case: ChoiceCase, version: AvailableVersion) -> float:
    wanted = case.preference.at.micros if case.preference.at is not None else 0
    return abs((version.micros or 0) - wanted) / 1e6 / _DAY_SECONDS
