"""What an archive knows of a site from before: its pages, how often they changed, and what that teaches of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import nan

from webkeep.change import RateBook, RatePredictor
from webkeep.change.sightings import Sightings
from webkeep.change.training import Training, trained
from webkeep.frontier.host import host_of
from webkeep.store.archive import Archive
from webkeep.store.served_history import histories, is_served
from webkeep.url import LASTING_IDENTITY
from webkeep.url.key_range import Match

_FOUND, _NOT_MODIFIED = 200, 304
_LOOKS = frozenset({"response", "revisit"})
_ENOUGH = 100
"""So many pages with a history teach something about others."""


class Past:
    """Tells of the past, and foretells rates by what it learned on the way."""

    def __init__(self, archive: Archive, capture: str) -> None:
        """`capture` is the one that is under way, whose pages are not of the past."""
        self._archive = archive
        self._capture = capture
        self._predictor: RatePredictor | None = None

    def url_rate(self, url: str) -> float:
        """The rate to expect of a page by its URL alone; no number where nothing was learned."""
        return nan if self._predictor is None else self._predictor.url_rate(url)

    def tell(self, rates: RateBook, seeds: Iterable[str]) -> Iterator[str]:
        """Tell of every look at the hosts of these seeds; gives the URLs that were there when they were last seen."""
        served = {capture.id for capture in self._archive.captures() if is_served(capture)}
        training = Training()
        for seed in {host_of(seed): seed for seed in seeds if seed.startswith(("http:", "https:"))}.values():
            for history in histories(self._archive, seed, Match.HOST) if served else ():
                for pair in history.pairs():
                    rates.heard_pair(*pair)
            yield from self._looked_at(rates, training, seed, served)
        lessons = training.lessons()
        if len(lessons) >= _ENOUGH:
            self._predictor = trained(lessons)

    def _looked_at(self, rates: RateBook, training: Training, seed: str, served: set[str]) -> Iterator[str]:
        sightings = Sightings()
        # What people visit may be what a crawler should not: a link that logs them out.
        crawled = {each.id for each in self._archive.captures() if each.kind == "capture"} - {self._capture}
        there: dict[str, bool] = {}
        for look in self._archive.history(seed, Match.HOST, resolve=False):
            if look.record_type not in _LOOKS or look.capture in served:
                continue
            if (pair := sightings.saw(look)) is not None:
                rates.heard_pair(*pair)
            training.saw(look)
            if look.capture in crawled and look.method == "GET" and LASTING_IDENTITY(look.url) == look.url:
                there[look.url] = look.status in (_FOUND, _NOT_MODIFIED)
        yield from (url for url, is_there in there.items() if is_there)
