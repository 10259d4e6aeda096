"""Surveys: what is held, by whom, from when, for a few requests."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace

from webkeep.model import Moment
from webkeep.recover import RecoveryPolicy
from webkeep.recover.politeness import RateLimit
from webkeep.recover.repositories import (
    ALL_TIME,
    ListedVersion,
    ListingPage,
    MissReason,
    RepositoryMiss,
    RepositoryTraits,
    TimePeriod,
)
from webkeep.recover.sources import RepositoryInventory, estimate_doubts, estimate_recovery, take_inventory
from webkeep.url import UrlMatch

SITE = "http://lost.example/"


@dataclass
class Paged:
    """A repository whose listing comes in requests of some rows each."""

    traits: RepositoryTraits
    pages: list[list[ListedVersion]]
    end: RepositoryMiss | None = None

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        for page in self.pages:
            yield ListingPage(tuple(page), "more", 1)
        if self.end is not None:
            yield ListingPage(miss=self.end)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        for page in self.pages:
            yield ListingPage(tuple(page), "more", 1)


def held(path: str, year: int) -> ListedVersion:
    return ListedVersion("a", SITE + path, Moment.parse(f"{year}-05"))


def test_versions_are_counted_by_year_and_urls_once() -> None:
    pages = [[held("", 2019), held("", 2021), held("x", 2021)]]
    survey = asyncio.run(take_inventory(Paged(RepositoryTraits("a"), pages), SITE))  # type: ignore[arg-type]
    assert (survey.rows, survey.urls, survey.requests) == (3, 2, 1)
    assert survey.years == {2019: 1, 2021: 2}
    assert (survey.first, survey.last) == (Moment.parse("2019-05"), Moment.parse("2021-05"))
    assert survey.is_complete


def test_a_survey_stops_after_a_few_requests_and_says_that_there_is_more() -> None:
    pages = [[held(f"{number}", 2020)] for number in range(50)]
    survey = asyncio.run(take_inventory(Paged(RepositoryTraits("a"), pages), SITE, most_requests=3))  # type: ignore[arg-type]
    assert survey.requests == 4
    assert not survey.is_complete


def test_one_that_cannot_list_is_asked_for_the_page() -> None:
    repository = Paged(RepositoryTraits("a", lists=False), [[held("", 2020)]])
    survey = asyncio.run(take_inventory(repository, SITE))  # type: ignore[arg-type]
    assert survey.is_page_only
    assert survey.has_rows


def test_why_there_may_be_more_is_told() -> None:
    repository = Paged(RepositoryTraits("a"), [[held("", 2020)]], RepositoryMiss(MissReason.TROUBLE, "a broke off"))
    survey = asyncio.run(take_inventory(repository, SITE))  # type: ignore[arg-type]
    assert not survey.is_complete
    assert survey.miss is not None


def survey_of(name: str, paths: Iterable[object], **traits: object) -> RepositoryInventory:
    pages = [[held(str(each), 2020) for each in paths]]
    return asyncio.run(take_inventory(Paged(RepositoryTraits(name, **traits), pages), SITE))  # type: ignore[arg-type]


def test_an_estimate_counts_each_resource_once_and_the_listings() -> None:
    surveys = [survey_of("a", range(90)), survey_of("b", range(50, 120))]
    assert estimate_recovery(surveys, {}).requests == 2 + 120
    assert estimate_recovery(surveys, {}, asks_all=True).requests == 2 + 90 + 70
    assert estimate_recovery(surveys, {}, most=10).requests == 2 + 20


def test_what_lies_on_this_machine_costs_nothing() -> None:
    near = survey_of("near", range(90), local=True, requests_per_resource=0)
    assert estimate_recovery([survey_of("far", range(100)), near], {}).requests == 2 + 10


def test_what_shows_nothing_is_not_counted() -> None:
    pages = [[held("a", 2020), replace(held("b", 2020), status=404)]]
    survey = asyncio.run(take_inventory(Paged(RepositoryTraits("a"), pages), SITE))  # type: ignore[arg-type]
    assert (survey.urls, len(survey.keys)) == (2, 1)


def test_an_estimate_of_time_is_what_the_limits_demand() -> None:
    surveys = [survey_of("a", range(89))]
    assert estimate_recovery(surveys, {"a": RateLimit(30, 60)}).seconds == 2 * 60
    assert estimate_recovery(surveys, {"a": RateLimit(100, 60)}).seconds == 0


def test_an_estimate_that_would_be_a_guess_is_none() -> None:
    whole = survey_of("whole", range(3))
    assert estimate_doubts([whole], RecoveryPolicy.SPARING, False) == []
    assert estimate_doubts([whole], RecoveryPolicy.SPARING, True) != []
    assert estimate_doubts([whole], RecoveryPolicy.NAIVE, False) != []
    for name, survey in (
        ("listless", survey_of("listless", [1], lists=False)),
        ("large", replace(whole, traits=RepositoryTraits("large"), is_complete=False)),
        (
            "broken",
            replace(whole, traits=RepositoryTraits("broken"), miss=RepositoryMiss(MissReason.TROUBLE, "it broke off")),
        ),
    ):
        (doubt,) = estimate_doubts([whole, survey], RecoveryPolicy.SPARING, False)
        assert doubt.startswith(name)
