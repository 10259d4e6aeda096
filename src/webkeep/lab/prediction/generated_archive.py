"""The archive of a generated site: its captures as a catalog would tell of them, and what can be learned from them page
by page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import expm1

from webkeep.change.prediction import Features, TrainingPage, page_features, training_pages
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.lab.prediction.generated_sites import LabPage, SiteModel
from webkeep.model import Digest, Moment, Observation, RecordPlace

_START = Moment.parse("2020-01-01T00:00:00Z")
AFTER_LAST_CAPTURE = _START.plus(10 * 365 * 86400.0)
"""Later than any capture."""
_NO_PLACE = RecordPlace("generated", 0, 0)
_DAY_SECONDS = 86400.0


def draw_observations(manner: SiteModel, pages: Sequence[LabPage], seed: int) -> Iterator[Observation]:
    """Every page seen at every capture, with the change of a Poisson process in between."""
    chance = SeededRandom("archive", manner.name, seed)
    versions = [0] * len(pages)
    chances = [-expm1(-page.rate * manner.interval) for page in pages]
    for capture in range(manner.captures):
        moment = _START.plus(capture * manner.interval * _DAY_SECONDS)
        for number, page in enumerate(pages):
            if chances[number] and capture:
                versions[number] += chance.uniform() < chances[number]
            digest = Digest("md5", versions[number].to_bytes(16, "little"))
            yield Observation(
                page.url,
                moment,
                _NO_PLACE,
                status=200,
                media_type=page.media_type,
                content_digest=digest,
                size=page.facts.size,
            )


def read_training_pages(manner: SiteModel, pages: Sequence[LabPage], seed: int) -> list[TrainingPage]:
    """What the archive teaches of each page, in the order of the pages."""
    by_url = {lesson.url: lesson for lesson in training_pages(draw_observations(manner, pages, seed), most=len(pages))}
    return [by_url[page.url] for page in pages]


def features_after_fetch(page: LabPage, training_page: TrainingPage) -> Features:
    """All that is known of a page once it was seen."""
    return page_features(page.url, page.media_type, replace(page.facts, days_unchanged=training_page.days_unchanged))
