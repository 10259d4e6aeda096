"""The fourth set of kinds that nothing was told of: guests, scores, stock, frames of strangers, clocks in words,
builds. It was written before change detection was tried on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_WANTED = ("tide", "regatta", "mill", "lamp", "ferry", "fair", "gull", "herring")
_NEXT = {
    "/gallery/": "The light at the end of the mole",
    "/history/": "When the bridge was a boat",
    "/events/": "Nine days of bunting",
    "/timetable/": "Last boat, first train",
    "/about/": "Ink, lead and patience",
}
_QUESTIONS = (
    ("Is the harbour lit at night?", "From dusk, by four lamps."),
    ("May dogs come along?", "On the boat, yes. In the church, ask."),
    ("Where is lost property?", "With the harbour master."),
    ("Is there a bank?", "On Tuesdays."),
)
_HEADS = ("Come for the tide", "Stay for the fog", "A town with its feet wet", "Ask anyone about the bell")
_HOURS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_DEPLOY_HOURS = 5.0
"""Between two builds of the site's files."""


def _guest(served: NoiseMoment) -> str:
    return f"<p>Welcome, guest {served.chance('guest').integer(1000, 9999)}! <a href='/contact/'>Write to us</a></p>"


def _lucky_numbers(served: NoiseMoment) -> str:
    chance = served.chance("lucky")
    balls = "".join(f"<li>{chance.integer(1, 49)}</li>" for _ in range(6))
    return f"<h3>Numbers of the fair</h3><ul class='balls'>{balls}</ul>"


def _hints(served: NoiseMoment) -> str:
    words, name = served.chance("hints").pick(_HEADS), draw_token(served.chance("hint"), 6)
    return f'<p><abbr title="{escape(words)}" data-hint="{name}">Tip</abbr> of the hour</p>'


def _score(served: NoiseMoment) -> str:
    chance = served.chance("score")
    goals = f"{chance.integer(0, 5)} – {chance.integer(0, 5)}"
    return f"<p>Tidewick <strong>{goals}</strong> Upper Fell ({chance.integer(1, 90)}')</p>"


def _stock(served: NoiseMoment) -> str:
    chance = served.chance("stock")
    return f"<p class='stock'>Only {chance.integer(1, 9)} left, in {chance.integer(2, 30)} baskets</p>"


def _searches(served: NoiseMoment) -> str:
    words = served.chance("searches").sample(_WANTED, 4)
    links = ", ".join(f'<a href="/site-index/?q={word}">{word}</a>' for word in words)
    return f"<p>Others looked for {links}</p>"


def _cache_comment(page: str, served: NoiseMoment) -> str:
    key = draw_token(served.chance("cache"), 24)
    return f"{page}<!-- cached copy {served.now.iso()}, key {key} -->\n"


def _avatar(served: NoiseMoment) -> str:
    shade = draw_token(served.chance("avatar"), 6)
    picture = f"data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20fill='%23{shade}'/%3E"
    return f'<p><img src="{picture}" alt="" width="32" height="32"> Written by a reader</p>'


def _seeded_pages(served: NoiseMoment) -> str:
    seed = draw_token(served.chance("seeded"), 5)
    return f'<p class="pager"><a href="/gallery/?from=10&amp;seed={seed}">Further pictures</a></p>'


def _foreign_frame(served: NoiseMoment) -> str:
    chance = served.chance("frame")
    address = f"https://frames.example/{chance.integer(1, 10**6)}/{draw_token(chance, 8)}"
    return f'<iframe src="{address}" width="300" height="60" title="From elsewhere"></iframe>'


def _linked_data(page: str, served: NoiseMoment) -> str:
    state = f'{{"@type": "WebPage", "dateModified": "{served.now.iso()}"}}'
    return page.replace("</head>", f'<script type="application/ld+json">{state}</script></head>')


def _next_article(served: NoiseMoment) -> str:
    path = served.chance("next").pick(tuple(_NEXT))
    return f'<p>Read next: <a href="{path}">{escape(_NEXT[path])}</a></p>'


def _unseen_pixel(page: str, served: NoiseMoment) -> str:
    number = served.chance("unseen").integer(1, 10**9)
    pixel = f'<noscript><img src="/static/emblem.svg?u={number}" alt="seen {number}"></noscript>'
    return page.replace("</body>", f"{pixel}</body>")


def _questions(served: NoiseMoment) -> str:
    asked = served.chance("questions").shuffle(_QUESTIONS)
    return "".join(f"<details><summary>{question}</summary><p>{answer}</p></details>" for question, answer in asked)


def _clock_in_words(served: NoiseMoment) -> str:
    moment = served.now.datetime
    part = "o'clock" if moment.minute < 30 else "and a half"
    return f"<p><small>By the church it is {_HOURS[moment.hour % 12]} {part}.</small></p>"


def _build_stamp(page: str, served: NoiseMoment) -> str:
    chance = served.slow_chance(_DEPLOY_HOURS, "stamp")
    stamp = f"<small>Version {chance.integer(2, 9)}.{chance.integer(0, 40)} ({draw_token(chance, 7)})</small>"
    return page.replace("</footer>", f"{stamp}</footer>")


def _hero(served: NoiseMoment) -> str:
    chance = served.chance("hero")
    number = chance.integer(0, len(_HEADS) - 1)
    return f'<div class="hero" style="background: url(/static/emblem.svg#{number})"><h2>{_HEADS[number]}</h2></div>'


FOURTH_NOISE: Mapping[str, DemoNoise] = {
    "guest": DemoNoise(_guest),
    "lucky numbers": DemoNoise(_lucky_numbers),
    "hints": DemoNoise(_hints),
    "score": DemoNoise(_score),
    "stock": DemoNoise(_stock),
    "searches": DemoNoise(_searches),
    "cache comment": DemoNoise(writing=_cache_comment),
    "avatar": DemoNoise(_avatar),
    "seeded pages": DemoNoise(_seeded_pages),
    "foreign frame": DemoNoise(_foreign_frame),
    "linked data": DemoNoise(writing=_linked_data),
    "next article": DemoNoise(_next_article),
    "unseen pixel": DemoNoise(writing=_unseen_pixel),
    "questions": DemoNoise(_questions),
    "clock in words": DemoNoise(_clock_in_words),
    "build stamp": DemoNoise(writing=_build_stamp),
    "hero": DemoNoise(_hero),
}
