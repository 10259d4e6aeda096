"""Noise on the pages of the demo site: what differs whenever a page is fetched, though nobody changed it; which kinds a
page has, and where they are put.

Every piece of noise is a function of seed, path, moment and number of the request, and of nothing else. The usual kinds
are those that change detection knows by name; the other sets are there to try it on what nobody told it of.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from webkeep.lab.demo.noise.fifth_noise import FIFTH_NOISE
from webkeep.lab.demo.noise.fourth_noise import FOURTH_NOISE
from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment
from webkeep.lab.demo.noise.other_noise import OTHER_NOISE
from webkeep.lab.demo.noise.second_noise import SECOND_NOISE
from webkeep.lab.demo.noise.seventh_noise import SEVENTH_NOISE
from webkeep.lab.demo.noise.sixth_noise import SIXTH_NOISE
from webkeep.lab.demo.noise.third_noise import THIRD_NOISE
from webkeep.lab.demo.noise.usual_noise import USUAL_NOISE
from webkeep.lab.demo.seeded_random import SeededRandom

_PAGE_SHARE = 0.75
"""Of the pages that have any noise: the others show that a page without is told from one with."""
_MAX_KINDS_A_PAGE = 3
"""Of noise on one page, as on pages of real sites."""
_ANY_CHARSET = "latin-1"
"""Reads the bytes of every charset that pages are written in, and gives them back."""


class NoiseSet(Enum):
    """Which noise the site has."""

    OFF = "off"
    USUAL = "usual"
    """Dates, counters, tokens, nonces, advertisements, orderings."""
    OTHER = "other"
    """Sayings, names of servers, samples of links, queues, variants of a call: what nothing was told of."""
    SECOND = "second"
    """Tickers, viewers, experiments, builds, weather, related articles, countdowns, ages: neither of these."""
    THIRD = "third"
    """Riddles, pixels, states of scripts, loads, carousels, tag clouds, remarks: nor of these."""
    FOURTH = "fourth"
    """Guests, scores, stock, frames of strangers, clocks in words, stamps of builds: nor of these."""
    FIFTH = "fifth"
    """Deliveries, ratings, sensors, departures, daylight, popups, signed pictures: nor of these."""
    SIXTH = "sixth"
    """Best-read lists, purchases of others, mirrors, telephone numbers, sessions in paths: nor of these."""
    SEVENTH = "seventh"
    """Prices that move, helpers in a chat, cards in any order, counts of comments, references: nor of these."""
    ALL = "all"


_KINDS: Mapping[NoiseSet, Mapping[str, DemoNoise]] = {
    NoiseSet.OFF: {},
    NoiseSet.USUAL: USUAL_NOISE,
    NoiseSet.OTHER: OTHER_NOISE,
    NoiseSet.SECOND: SECOND_NOISE,
    NoiseSet.THIRD: THIRD_NOISE,
    NoiseSet.FOURTH: FOURTH_NOISE,
    NoiseSet.FIFTH: FIFTH_NOISE,
    NoiseSet.SIXTH: SIXTH_NOISE,
    NoiseSet.SEVENTH: SEVENTH_NOISE,
    NoiseSet.ALL: {
        **USUAL_NOISE,
        **OTHER_NOISE,
        **SECOND_NOISE,
        **THIRD_NOISE,
        **FOURTH_NOISE,
        **FIFTH_NOISE,
        **SIXTH_NOISE,
        **SEVENTH_NOISE,
    },
}


def noise_kinds(noise: NoiseSet, seed: int, path: str) -> tuple[str, ...]:
    """The kinds of noise that a page has."""
    kinds = tuple(_KINDS[noise])
    chance = SeededRandom(seed, path, "noise")
    if not kinds or chance.uniform() >= _PAGE_SHARE:
        return ()
    return tuple(chance.sample(kinds, chance.integer(1, _MAX_KINDS_A_PAGE)))


def add_noise(page: bytes, noise: NoiseSet, served: NoiseMoment) -> bytes:
    """A page with the noise of one request in it: pieces before the footer, or at the end of the content; then what
    is written otherwise.
    """
    kinds = [_KINDS[noise][kind] for kind in noise_kinds(noise, served.seed, served.path)]
    written = page.decode(_ANY_CHARSET)
    pieces = [kind.piece(served) for kind in kinds if kind.piece]
    if pieces:
        written = _put_beside(written, "".join(pieces), served)
    for kind in kinds:
        if kind.writing:
            written = kind.writing(written, served)
    return written.encode(_ANY_CHARSET)


def _put_beside(page: str, pieces: str, served: NoiseMoment) -> str:
    # Characters that are the same in every charset that pages are written in.
    markup = f'<section class="aside">{pieces}</section>\n'.encode("ascii", "xmlcharrefreplace").decode("ascii")
    mark = "</main>" if SeededRandom(served.seed, served.path, "where").integer(0, 1) else '<footer class="foot">'
    before, found, after = page.partition(mark)
    return before + markup + found + after if found else page
