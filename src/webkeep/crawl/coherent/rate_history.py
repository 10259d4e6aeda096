"""What an archive knows of a site from before: how often its pages changed, which were there when last seen, and from
how many on a predictor of change rates is trained for other URLs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import nan

from webkeep.change.prediction import RatePredictor, TrainingSet, train_predictor
from webkeep.change.rates import ObservationPairs, RateTable
from webkeep.formats.status import NOT_MODIFIED, OK
from webkeep.frontier.hosts import host_key_of
from webkeep.model import RESPONSE_TYPES, CaptureKind
from webkeep.store.archive import Archive
from webkeep.store.views import is_self_recorded, read_histories
from webkeep.url import UrlMatch
from webkeep.url.canonical import LASTING_IDENTITY

_MIN_TRAINING_PAGES = 100
"""So many pages with a history teach something about others."""


class RateHistory:
    """Tells of the past, and foretells rates by what it learned on the way."""

    def __init__(self, archive: Archive, capture: str) -> None:
        """`capture` is the one that is under way, whose pages are not of the past."""
        self._archive = archive
        self._capture = capture
        self._predictor: RatePredictor | None = None

    def url_rate(self, url: str) -> float:
        """The rate to expect of a page by its URL alone; no number where nothing was learned."""
        return nan if self._predictor is None else self._predictor.url_rate(url)

    def record_rates(self, rates: RateTable, seeds: Iterable[str]) -> Iterator[str]:
        """Tell of every look at the hosts of these seeds; gives the URLs that were there when they were last seen."""
        served = {capture.id for capture in self._archive.captures() if is_self_recorded(capture)}
        training = TrainingSet()
        for seed in {host_key_of(seed): seed for seed in seeds if seed.startswith(("http:", "https:"))}.values():
            for history in read_histories(self._archive, seed, UrlMatch.HOST) if served else ():
                for pair in history.to_pairs():
                    rates.add_pair(*pair)
            yield from self._record_host(rates, training, seed, served)
        lessons = training.pages()
        if len(lessons) >= _MIN_TRAINING_PAGES:
            self._predictor = train_predictor(lessons)

    def _record_host(self, rates: RateTable, training: TrainingSet, seed: str, served: set[str]) -> Iterator[str]:
        sightings = ObservationPairs()
        # What people visit may be what a crawler should not: a link that logs them out.
        crawled = {each.id for each in self._archive.captures() if each.kind == CaptureKind.CAPTURE} - {self._capture}
        there: dict[str, bool] = {}
        for look in self._archive.history(seed, UrlMatch.HOST, resolve=False):
            if look.record_type not in RESPONSE_TYPES or look.capture in served:
                continue
            if (pair := sightings.add(look)) is not None:
                rates.add_pair(*pair)
            training.add(look)
            if look.capture in crawled and look.method == "GET" and LASTING_IDENTITY(look.url) == look.url:
                there[look.url] = look.status in (OK, NOT_MODIFIED)
        yield from (url for url, is_there in there.items() if is_there)
