"""The archive of a generated site: its captures as a catalog would tell of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import expm1

from webkeep.change import Features, Lesson, lessons, page_features
from webkeep.lab.demo.chance import Chance
from webkeep.lab.prediction.sites import Manner, Page
from webkeep.model import Digest, Moment, Observation, Place

_START = Moment.parse("2020-01-01T00:00:00Z")
END = _START.plus(10 * 365 * 86400.0)
"""Later than any capture."""
_NOWHERE = Place("generated", 0, 0)
_DAY = 86400.0


def observations(manner: Manner, pages: Sequence[Page], seed: int) -> Iterator[Observation]:
    """Every page seen at every capture, with the change of a Poisson process in between."""
    chance = Chance("archive", manner.name, seed)
    versions = [0] * len(pages)
    chances = [-expm1(-page.rate * manner.interval) for page in pages]
    for capture in range(manner.captures):
        moment = _START.plus(capture * manner.interval * _DAY)
        for number, page in enumerate(pages):
            if chances[number] and capture:
                versions[number] += chance.uniform() < chances[number]
            digest = Digest("md5", versions[number].to_bytes(16, "little"))
            yield Observation(
                page.url,
                moment,
                _NOWHERE,
                status=200,
                media_type=page.media_type,
                content_digest=digest,
                size=page.facts.size,
            )


def taught(manner: Manner, pages: Sequence[Page], seed: int) -> list[Lesson]:
    """What the archive teaches of each page, in the order of the pages."""
    by_url = {lesson.url: lesson for lesson in lessons(observations(manner, pages, seed), most=len(pages))}
    return [by_url[page.url] for page in pages]


def after_features(page: Page, lesson: Lesson) -> Features:
    """All that is known of a page once it was seen."""
    return page_features(page.url, page.media_type, replace(page.facts, days_unchanged=lesson.days_unchanged))
