"""Noise on the pages of the demo site: what differs whenever a page is fetched, though nobody changed it; which kinds
there are, which of them a page has, and where they are put.

Every piece of noise is a function of seed, path, moment and number of the request, and of nothing else. The usual kinds
are those that change detection knows by name; the other kinds are there to try it on what nobody told it of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from html import escape
from typing import NamedTuple

from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.model import Moment

_PAGE_SHARE = 0.75
"""Of the pages that have any noise: the others show that a page without is told from one with."""
_MAX_KINDS_A_PAGE = 3
"""Of noise on one page, as on pages of real sites."""

_GOODS = ("boots", "lanterns", "rope", "tea", "oilskins", "biscuits", "charts", "paint", "kettles", "herring")
_SAYINGS = (
    "The tide waits for the ferry, they say",
    "A dry day is a borrowed one",
    "Never trust a gull with a sandwich",
    "The mill turns when it wants to",
    "Fog is only the sea come visiting",
    "Two lamps are better than one captain",
    "Mend the net before the fish hear of it",
    "Whoever rings the bell buys the beer",
)
_MACHINES = ("ladybird", "heron", "otter", "wren", "puffin", "curlew")
_PLACES = ("/history/", "/gallery/", "/about/", "/events/", "/timetable/", "/contact/", "/welcome/", "/guestbook/")


class NoiseSet(Enum):
    """Which noise the site has."""

    OFF = "off"
    USUAL = "usual"
    """Dates, counters, tokens, nonces, advertisements, orderings."""
    OTHER = "other"
    """Sayings, names of servers, samples of links, queues, variants of a call: what nothing was told of."""
    ALL = "all"


class NoiseMoment(NamedTuple):
    """When a page is served, and to which request."""

    seed: int
    path: str
    now: Moment
    asked: int
    """The number of the request, since the server began."""

    def chance(self, *labels: object) -> SeededRandom:
        """Draws that are others for every request."""
        return SeededRandom(self.seed, self.path, self.now.micros, self.asked, *labels)

    def fixed_chance(self, *labels: object) -> SeededRandom:
        """Draws that are the same for every request of the page."""
        return SeededRandom(self.seed, self.path, *labels)


def _token(chance: SeededRandom, length: int) -> str:
    return "".join(chance.pick("0123456789abcdef") for _ in range(length))


def _date(served: NoiseMoment) -> str:
    moment = served.now.datetime
    if served.fixed_chance("label").integer(0, 1):
        return f"<p>Page generated on {moment:%d %B %Y} at {moment:%H:%M:%S} UTC</p>"
    return f"<p>{moment:%A}, {moment:%d %B %Y, %H:%M:%S}</p>"


def _counter(served: NoiseMoment) -> str:
    count = 10_000 + served.asked + served.now.micros // 20_000_000 % 1_000_000
    if served.fixed_chance("label").integer(0, 1):
        return f"<p>You are visitor number {count:,}</p>"
    return f"<p>Since the site began <b>{count}</b> people looked in</p>"


def _session(served: NoiseMoment) -> str:
    token = _token(served.chance("session"), 32)
    return (
        f'<form action="/contact/sent/"><input type="hidden" name="csrf" value="{token}"></form>'
        f'<p><a href="/contact/?sid={token}">Write to us</a></p>'
    )


def _nonce(served: NoiseMoment) -> str:
    return f'<script nonce="{_token(served.chance("nonce"), 24)}">/* nothing */</script>'


def _advertisement(served: NoiseMoment) -> str:
    chance = served.chance("advertisement")
    good, number = chance.pick(_GOODS), chance.integer(1, 99_999)
    return (
        '<div class="sponsored"><p>From our friends</p>'
        f'<p><a href="/goods/{good}?offer={number}">The best {good} here, {chance.integer(2, 90)} pence</a></p></div>'
    )


def _ordering(served: NoiseMoment) -> str:
    items = served.chance("ordering").shuffle(_PLACES)
    links = "".join(f'<li><a href="{path}">{escape(path.strip("/").title())}</a></li>' for path in items)
    return f"<h2>Elsewhere</h2><ul>{links}</ul>"


def _saying(served: NoiseMoment) -> str:
    return f"<h2>Heard at the harbour</h2><p>{served.chance('saying').pick(_SAYINGS)}</p>"


def _machine(served: NoiseMoment) -> str:
    chance = served.chance("machine")
    return f"<p>Brought to you by {chance.pick(_MACHINES)} in {chance.integer(3, 400)} ms</p>"


def _sample(served: NoiseMoment) -> str:
    chosen = served.chance("sample").sample(_PLACES, 3)
    links = "".join(f'<li><a href="{path}">{escape(path.strip("/").title())}</a></li>' for path in chosen)
    return f'<div class="box"><h2>You may like</h2><ul class="picks">{links}</ul></div>'


def _queue(served: NoiseMoment) -> str:
    chance = served.chance("queue")
    waiting = f"{chance.integer(0, 40)} carts, {chance.integer(0, 90)} on foot"
    return f"<table><tr><th>Ferry queue</th><td>{waiting}</td></tr></table>"


def _variant(served: NoiseMoment) -> str:
    words = served.chance("variant").pick(("Join the walk", "Come along", "Put your name down", "Be there on Sunday"))
    return f'<p class="call"><a href="/contact/">{words}</a></p>'


PieceOfNoise = Callable[[NoiseMoment], str]
_USUAL: Mapping[str, PieceOfNoise] = {
    "date": _date,
    "visitor counter": _counter,
    "session token": _session,
    "nonce": _nonce,
    "advertisement": _advertisement,
    "ordering": _ordering,
}
_OTHER: Mapping[str, PieceOfNoise] = {
    "saying": _saying,
    "machine": _machine,
    "sample": _sample,
    "queue": _queue,
    "variant": _variant,
}
_KINDS: Mapping[NoiseSet, Mapping[str, PieceOfNoise]] = {
    NoiseSet.OFF: {},
    NoiseSet.USUAL: _USUAL,
    NoiseSet.OTHER: _OTHER,
    NoiseSet.ALL: {**_USUAL, **_OTHER},
}


def noise_kinds(noise: NoiseSet, seed: int, path: str) -> tuple[str, ...]:
    """The kinds of noise that a page has."""
    kinds = tuple(_KINDS[noise])
    chance = SeededRandom(seed, path, "noise")
    if not kinds or chance.uniform() >= _PAGE_SHARE:
        return ()
    return tuple(chance.sample(kinds, chance.integer(1, _MAX_KINDS_A_PAGE)))


def add_noise(page: bytes, noise: NoiseSet, served: NoiseMoment) -> bytes:
    """A page with the noise of one request in it: before the footer, or at the end of the content."""
    pieces = [_KINDS[noise][kind](served) for kind in noise_kinds(noise, served.seed, served.path)]
    if not pieces:
        return page
    # Bytes that are the same in every charset that pages are written in.
    markup = f'<section class="aside">{"".join(pieces)}</section>\n'.encode("ascii", "xmlcharrefreplace")
    mark = b"</main>" if SeededRandom(served.seed, served.path, "where").integer(0, 1) else b'<footer class="foot">'
    before, found, after = page.partition(mark)
    return before + markup + found + after if found else page
