"""Surveys: what is held, by whom, from when, for a few requests."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.recover.limits import Limit
from webkeep.recover.repository import ALWAYS, Batch, Held, Miss, Period, Reason
from webkeep.recover.repository_survey import estimate_of, surveyed
from webkeep.recover.repository_traits import Traits
from webkeep.url.key_range import Match

SITE = "http://lost.example/"


@dataclass
class Paged:
    """A repository whose listing comes in requests of some rows each."""

    traits: Traits
    pages: list[list[Held]]
    end: Miss | None = None

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        for page in self.pages:
            yield Batch(tuple(page), "more", 1)
        if self.end is not None:
            yield Batch(miss=self.end)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        for page in self.pages:
            yield Batch(tuple(page), "more", 1)


def held(path: str, year: int) -> Held:
    return Held("a", SITE + path, Moment.parse(f"{year}-05"))


def test_versions_are_counted_by_year_and_urls_once() -> None:
    pages = [[held("", 2019), held("", 2021), held("x", 2021)]]
    survey = asyncio.run(surveyed(Paged(Traits("a"), pages), SITE))  # type: ignore[arg-type]
    assert (survey.rows, survey.urls, survey.requests) == (3, 2, 1)
    assert survey.years == {2019: 1, 2021: 2}
    assert (survey.first, survey.last) == (Moment.parse("2019-05"), Moment.parse("2021-05"))
    assert survey.is_complete


def test_a_survey_stops_after_a_few_requests_and_says_that_there_is_more() -> None:
    pages = [[held(f"{number}", 2020)] for number in range(50)]
    survey = asyncio.run(surveyed(Paged(Traits("a"), pages), SITE, most_requests=3))  # type: ignore[arg-type]
    assert survey.requests == 4
    assert not survey.is_complete


def test_one_that_cannot_list_is_asked_for_the_page() -> None:
    repository = Paged(Traits("a", lists=False), [[held("", 2020)]])
    survey = asyncio.run(surveyed(repository, SITE))  # type: ignore[arg-type]
    assert survey.of_page
    assert survey.holds_something


def test_why_there_may_be_more_is_told() -> None:
    repository = Paged(Traits("a"), [[held("", 2020)]], Miss(Reason.TROUBLE, "a broke off"))
    survey = asyncio.run(surveyed(repository, SITE))  # type: ignore[arg-type]
    assert not survey.is_complete
    assert survey.miss is not None


def test_an_estimate_is_of_one_request_for_each_url_at_least() -> None:
    one = asyncio.run(surveyed(Paged(Traits("a"), [[held(str(each), 2020) for each in range(90)]]), SITE))  # type: ignore[arg-type]
    other = asyncio.run(surveyed(Paged(Traits("b"), [[held(str(each), 2020) for each in range(40)]]), SITE))  # type: ignore[arg-type]
    estimate = estimate_of([one, other], {"a": Limit(30, 60)})
    assert estimate.requests == 1 + 90 + 1
    assert estimate.seconds == 91 / 30 * 60
    assert estimate.most_requests == 2 + 90 * 2
