"""The usual noise of pages, which change detection knows by name: dates, counters, tokens, nonces, advertisements,
orderings.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_GOODS = ("boots", "lanterns", "rope", "tea", "oilskins", "biscuits", "charts", "paint", "kettles", "herring")
PLACES = ("/history/", "/gallery/", "/about/", "/events/", "/timetable/", "/contact/", "/welcome/", "/guestbook/")
"""Pages that boxes of links lead to."""


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
    token = draw_token(served.chance("session"), 32)
    return (
        f'<form action="/contact/sent/"><input type="hidden" name="csrf" value="{token}"></form>'
        f'<p><a href="/contact/?sid={token}">Write to us</a></p>'
    )


def _nonce(served: NoiseMoment) -> str:
    return f'<script nonce="{draw_token(served.chance("nonce"), 24)}">/* nothing */</script>'


def _advertisement(served: NoiseMoment) -> str:
    chance = served.chance("advertisement")
    good, number = chance.pick(_GOODS), chance.integer(1, 99_999)
    return (
        '<div class="sponsored"><p>From our friends</p>'
        f'<p><a href="/goods/{good}?offer={number}">The best {good} here, {chance.integer(2, 90)} pence</a></p></div>'
    )


def _ordering(served: NoiseMoment) -> str:
    items = served.chance("ordering").shuffle(PLACES)
    links = "".join(f'<li><a href="{path}">{escape(path.strip("/").title())}</a></li>' for path in items)
    return f"<h2>Elsewhere</h2><ul>{links}</ul>"


USUAL_NOISE: Mapping[str, DemoNoise] = {
    "date": DemoNoise(_date),
    "visitor counter": DemoNoise(_counter),
    "session token": DemoNoise(_session),
    "nonce": DemoNoise(_nonce),
    "advertisement": DemoNoise(_advertisement),
    "ordering": DemoNoise(_ordering),
}
