"""What is noise on the sites of an archive: learned from observations of one page that are seconds apart, as visit and
revisit are, and from those of consecutive captures, and set by hand in a file of the archive; how many pairs are
learned from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from webkeep.change.detection import (
    NOISE_FILE,
    HandRule,
    LearnedNoise,
    NoiseModel,
    TimedPair,
    VersionPair,
    learn_noise,
    learn_slow_noise,
    parse_noise_rules,
)
from webkeep.errors import StorageError, UsageError
from webkeep.formats.status import is_successful
from webkeep.model import Observation
from webkeep.quality.changes.page_versions import read_blocks, read_version
from webkeep.store.archive import Archive
from webkeep.url import UrlMatch, key_range, surt

_MAX_PAIR_SECONDS = 120.0
"""Between two fetches of a page that its author will not have changed in between."""
_MAX_PAIRS = 400
"""That are learned from; each is two pages to be read and aligned."""
_MAX_PAIRS_OF_A_PAGE = 4
"""The latest ones, so that one page does not speak for its site."""
_MAX_OBSERVATIONS = 100_000
"""That are looked through for pairs of a site."""
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


_ObservationPair = tuple[Observation, Observation]


def read_hand_rules(archive: Archive) -> tuple[HandRule, ...]:
    """What people set as noise for an archive; nothing where they did not."""
    path = archive.layout.root / NOISE_FILE
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}); mend that or take it away") from error
    return parse_noise_rules(text, str(path))


class SiteNoise:
    """What is noise on each site of an archive, learned when it is first asked for."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._by_hand = read_hand_rules(archive)
        self._models: dict[str, NoiseModel] = {}

    def model_of(self, url: str) -> NoiseModel:
        """What is noise on the site of a page."""
        host = surt(url).partition(")")[0]
        model = self._models.get(host)
        if model is None:
            model = self._models[host] = self._learn(url)
        return model

    def _learn(self, url: str) -> NoiseModel:
        try:
            key_range(url, UrlMatch.HOST)
        except UsageError:  # a URL without a host is of no site, and there is nothing to learn from
            return NoiseModel(self._by_hand)
        quick, slow = _choose_pairs(self._pages_of(url))
        learned = learn_noise(self._read_pairs(quick))
        moving = LearnedNoise(learn_slow_noise(self._read_timed_pairs(slow)))
        return NoiseModel(self._by_hand, learned, slow=moving)

    def _read_pairs(self, pairs: Iterable[_ObservationPair]) -> Iterator[VersionPair]:
        for before, after in pairs:
            one = read_blocks(self._archive, before)
            other = one if _is_same(before, after) else read_blocks(self._archive, after)
            if one is not None and other is not None:
                yield one, other

    def _read_timed_pairs(self, pairs: Iterable[_ObservationPair]) -> Iterator[TimedPair]:
        for before, after in pairs:
            one, other = read_version(self._archive, before), read_version(self._archive, after)
            if one is not None and other is not None:
                interval = before.capture, after.capture
                yield TimedPair(interval, other.served.seconds_since(one.served), one.blocks, other.blocks)

    def _pages_of(self, url: str) -> Iterator[Observation]:
        for number, each in enumerate(self._archive.history(url, UrlMatch.HOST)):
            if number >= _MAX_OBSERVATIONS:
                return
            if each.method == "GET" and each.media_type in _PAGE_TYPES and is_successful(each.status):
                yield each


def _is_same(one: Observation, other: Observation) -> bool:
    return one.payload_digest is not None and one.payload_digest == other.payload_digest


def _choose_pairs(pages: Iterable[Observation]) -> tuple[list[_ObservationPair], list[_ObservationPair]]:
    """The pairs of pages from all over a site: those that one capture made seconds apart, and those of one capture and
    the next.
    """
    quick: list[list[_ObservationPair]] = []
    slow: list[list[_ObservationPair]] = []
    for _, observations in groupby(pages, lambda each: each.url):
        pairs = list(pairwise(observations))
        for found, chosen in ((quick, filter(_is_quick, pairs)), (slow, filter(_is_slow, pairs))):
            mine = list(chosen)
            # Pages that never differed tell nothing.
            if not all(_is_same(*pair) for pair in mine):
                found.append(mine[-_MAX_PAIRS_OF_A_PAGE:])
    return _spread_pairs(quick), _spread_pairs(slow)


def _spread_pairs(pages: Sequence[Sequence[_ObservationPair]]) -> list[_ObservationPair]:
    """As many pairs as are learned from, evenly chosen."""
    apart = max(1, len(pages) * _MAX_PAIRS_OF_A_PAGE // _MAX_PAIRS)
    return [pair for pairs in pages[::apart] for pair in pairs]


def _is_quick(pair: _ObservationPair) -> bool:
    before, after = pair
    return before.capture == after.capture and after.moment.seconds_since(before.moment) <= _MAX_PAIR_SECONDS


def _is_slow(pair: _ObservationPair) -> bool:
    return pair[0].capture != pair[1].capture
