"""What an archive teaches about pages it has never seen: lessons on change rates out of its observations, how many
pages and looks they are drawn from, and predictors trained on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import xxhash

from webkeep.change.prediction.features import Features, PageFacts, page_features, url_features
from webkeep.change.prediction.learner import Learner
from webkeep.change.prediction.rate_predictor import RatePredictor, learn_rates
from webkeep.change.prediction.url_tree import UrlTreeLearner
from webkeep.change.rates.observation_pairs import ObservationPairs
from webkeep.change.rates.rate_estimators import Poll, estimate_rate
from webkeep.change.rates.rate_hints import DAY_SECONDS
from webkeep.errors import UsageError
from webkeep.formats.http import parse_http_date
from webkeep.model import Moment, Observation

MAX_TRAINING_PAGES = 20_000
"""As many pages are learned from; of a larger archive, a fair sample."""
_MAX_POLLS_A_PAGE = 256
"""The latest looks at a page; older ones tell of what it may no longer be."""
_HASH_RANGE = 1 << 64
"""Hashes are of 64 bits; a sample holds the lowest of them."""


@dataclass(frozen=True, slots=True)
class TrainingPage:
    """A page whose rate is known, and what it looked like."""

    url: str
    media_type: str
    rate: float
    """Changes a second."""
    looks: int
    days_unchanged: float
    """From its last change known to when it was last seen."""
    size: int

    @property
    def features_before_fetch(self) -> Features:
        """What could be known before it was asked for."""
        return url_features(self.url, self.media_type)

    @property
    def features_after_fetch(self) -> Features:
        """What the catalog knows of it besides."""
        return page_features(self.url, self.media_type, PageFacts(self.days_unchanged, size=self.size))


@dataclass(slots=True)
class _PagePolls:
    latest: Observation
    changed: Moment
    polls: list[Poll] = field(default_factory=list)


class TrainingSet:
    """Takes in an archive's observations one by one and gives the lessons they hold.

    Where there are too many pages, those are kept whose hashes are small: a sample that no order of coming can bend.
    """

    def __init__(self, most: int = MAX_TRAINING_PAGES, salt: int = 0) -> None:
        self._most, self._salt = max(most, 1), salt % _HASH_RANGE
        self._below = _HASH_RANGE
        self._sightings = ObservationPairs(salt=salt)
        self._pages: dict[str, _PagePolls] = {}

    def add(self, seen: Observation) -> None:
        """Take in an observation."""
        if self._hash(seen.url) >= self._below:
            return
        pair = self._sightings.add(seen)
        page = self._pages.get(seen.url)
        if page is None:
            self._add_page(seen)
        elif pair is not None:
            page.latest = seen
            page.changed = max(page.changed, seen.moment if pair.changed else _last_modified(seen) or page.changed)
            page.polls.append(Poll(pair.second.seconds_since(pair.first), pair.changed))
            del page.polls[:-_MAX_POLLS_A_PAGE]

    def pages(self) -> list[TrainingPage]:
        """What was learned, in the order of the URLs; pages seen once teach nothing."""
        return [_training_page(page) for _, page in sorted(self._pages.items()) if page.polls]

    def _add_page(self, seen: Observation) -> None:
        if seen.method == "GET":
            self._pages[seen.url] = _PagePolls(seen, _last_modified(seen) or seen.moment)
        while len(self._pages) > self._most:
            self._below //= 2
            self._pages = {url: page for url, page in self._pages.items() if self._hash(url) < self._below}

    def _hash(self, url: str) -> int:
        return int(xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"), self._salt))


def training_pages(observations: Iterable[Observation], most: int = MAX_TRAINING_PAGES) -> list[TrainingPage]:
    """The lessons that these observations hold."""
    training = TrainingSet(most)
    for seen in observations:
        training.add(seen)
    return training.pages()


def train_predictor(
    taught: Sequence[TrainingPage], learner: Learner | None = None, horizon: float | None = None
) -> RatePredictor:
    """A predictor by what is known before a page is asked for; the horizon is how long the next capture may take."""
    if not taught:
        raise UsageError("no page was seen twice, so there is nothing to learn; capture the site again first")
    pages, rates = [lesson.features_before_fetch for lesson in taught], [lesson.rate for lesson in taught]
    return learn_rates(learner or UrlTreeLearner(), pages, rates, horizon=horizon)


def _training_page(page: _PagePolls) -> TrainingPage:
    seen = page.latest
    days = max(seen.moment.seconds_since(page.changed), 0.0) / DAY_SECONDS
    return TrainingPage(seen.url, seen.media_type, estimate_rate(page.polls), len(page.polls), days, seen.size)


def _last_modified(seen: Observation) -> Moment | None:
    """When a page says it last changed, unless that is still to come."""
    moment = parse_http_date(seen.last_modified)
    return None if moment is None or moment > seen.moment else moment
