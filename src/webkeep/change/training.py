"""What an archive teaches about pages it has never seen: lessons of its catalog, and predictors trained on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import xxhash

from webkeep.change.features import Features, PageFacts, page_features, url_features
from webkeep.change.hint import DAY
from webkeep.change.kin import Kin
from webkeep.change.learner import Learner
from webkeep.change.polling import Poll, polled_rate
from webkeep.change.rate_predictor import RatePredictor, learn_rates
from webkeep.change.sightings import Sightings
from webkeep.errors import UsageError
from webkeep.formats.http_date import read_date
from webkeep.model import Moment, Observation

MOST_PAGES = 20_000
"""As many pages are learned from; of a larger archive, a fair sample."""
_MOST_LOOKS = 256
_ALL = 1 << 64


@dataclass(frozen=True, slots=True)
class Lesson:
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
    def before(self) -> Features:
        """What could be known before it was asked for."""
        return url_features(self.url, self.media_type)

    @property
    def after(self) -> Features:
        """What the catalog knows of it besides."""
        return page_features(self.url, self.media_type, PageFacts(self.days_unchanged, size=self.size))


@dataclass(slots=True)
class _Page:
    latest: Observation
    changed: Moment
    polls: list[Poll] = field(default_factory=list)


class Training:
    """Takes in an archive's observations one by one and gives the lessons they hold.

    Where there are too many pages, those are kept whose hashes are small: a sample that no order of coming can bend.
    """

    def __init__(self, most: int = MOST_PAGES, salt: int = 0) -> None:
        self._most, self._salt = max(most, 1), salt % _ALL
        self._below = _ALL
        self._sightings = Sightings(salt=salt)
        self._pages: dict[str, _Page] = {}

    def saw(self, seen: Observation) -> None:
        """Take in an observation."""
        if self._hash(seen.url) >= self._below:
            return
        pair = self._sightings.saw(seen)
        page = self._pages.get(seen.url)
        if page is None:
            self._begin(seen)
        elif pair is not None:
            page.latest = seen
            page.changed = max(page.changed, seen.moment if pair.changed else _last_modified(seen) or page.changed)
            page.polls.append(Poll(pair.second.seconds_since(pair.first), pair.changed))
            del page.polls[:-_MOST_LOOKS]

    def lessons(self) -> list[Lesson]:
        """What was learned, in the order of the URLs; pages seen once teach nothing."""
        return [_lesson(page) for _, page in sorted(self._pages.items()) if page.polls]

    def _begin(self, seen: Observation) -> None:
        if seen.method == "GET":
            self._pages[seen.url] = _Page(seen, _last_modified(seen) or seen.moment)
        while len(self._pages) > self._most:
            self._below //= 2
            self._pages = {url: page for url, page in self._pages.items() if self._hash(url) < self._below}

    def _hash(self, url: str) -> int:
        return int(xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"), self._salt))


def lessons(observations: Iterable[Observation], most: int = MOST_PAGES) -> list[Lesson]:
    """The lessons that these observations hold."""
    training = Training(most)
    for seen in observations:
        training.saw(seen)
    return training.lessons()


def trained(taught: Sequence[Lesson], learner: Learner | None = None, horizon: float | None = None) -> RatePredictor:
    """A predictor by what is known before a page is asked for; the horizon is how long the next capture may take."""
    if not taught:
        raise UsageError("no page was seen twice, so there is nothing to learn; capture the site again first")
    pages, rates = [lesson.before for lesson in taught], [lesson.rate for lesson in taught]
    return learn_rates(learner or Kin(), pages, rates, horizon=horizon)


def _lesson(page: _Page) -> Lesson:
    seen = page.latest
    days = max(seen.moment.seconds_since(page.changed), 0.0) / DAY
    return Lesson(seen.url, seen.media_type, polled_rate(page.polls), len(page.polls), days, seen.size)


def _last_modified(seen: Observation) -> Moment | None:
    """When a page says it last changed, unless that is still to come."""
    moment = read_date(seen.last_modified)
    return None if moment is None or moment > seen.moment else moment
