"""The second set of kinds that nothing was told of: what live sites show beside their content and write into their
markup. It was written before change detection was tried on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_SHARES = ("Tidewick Rope", "Fell Wool", "Harbour Light & Gas", "Courier Press", "Northern Herring")
_PLACES = {
    "/history/": "How the harbour came to be built twice",
    "/gallery/": "Pictures of the great flood, newly hung",
    "/events/": "What is on between the fair and the regatta",
    "/timetable/": "Ferries that still run in winter",
    "/guestbook/": "What visitors wrote in the guest book",
    "/about/": "Who prints this paper, and why",
    "/weather/": "The glass is falling again",
}
_QUOTES = (
    ("Nothing is so far away as the other side of a harbour at low tide.", "A pilot"),
    ("I have buried four clocks and no time.", "The sexton"),
    ("Write it down before the rain does.", "An editor"),
    ("All maps are of yesterday.", "The surveyor"),
    ("A lamp is a promise to somebody you will not meet.", "The keeper"),
    ("There is no bad weather, only wet paper.", "A newsboy"),
)
_SKIES = (("rain", "Rain"), ("fog", "Fog"), ("sun", "Bright spells"), ("gale", "Gale"), ("cloud", "Overcast"))
_DEPLOY_HOURS = 5.0
"""Between two builds of the site's files."""


def _ticker(served: NoiseMoment) -> str:
    chance = served.chance("ticker")
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td>{chance.integer(200, 9999) / 100:.2f}</td><td class="{way}">'
        f"{'▲' if way == 'up' else '▼'} {chance.integer(1, 300) / 100:.2f} %</td></tr>"
        for name in _SHARES
        for way in (chance.pick(("up", "down")),)
    )
    return f'<table class="quotes"><caption>On the exchange</caption>{rows}</table>'


def _viewers(served: NoiseMoment) -> str:
    chance = served.chance("viewers")
    if served.fixed_chance("label").integer(0, 1):
        return f'<p class="proof">{chance.integer(2, 60)} people are viewing this page</p>'
    return f'<p class="proof">Seen by {chance.integer(2, 60)} readers in the last {chance.integer(2, 9)} minutes</p>'


def _experiment(page: str, served: NoiseMoment) -> str:
    chance = served.chance("experiment")
    arm = f"exp-{chance.pick('abcd')} layout-{chance.integer(1, 3)}"
    return page.replace('<body class="', f'<body data-bucket="{chance.integer(0, 99)}" class="{arm} ', 1)


def _assets(page: str, served: NoiseMoment) -> str:
    build = draw_token(served.slow_chance(_DEPLOY_HOURS, "build"), 8)
    for name in ("/static/town.css", "/static/town.js", "/static/emblem.svg"):
        page = page.replace(f'{name}"', f'{name}?v={build}"')
    return page


def _element_ids(served: NoiseMoment) -> str:
    name = draw_token(served.chance("ids"), 6)
    return (
        f'<form id="form-{name}" action="/contact/sent/"><label for="field-{name}">Find in the paper</label>'
        f'<input id="field-{name}" name="q" aria-describedby="hint-{name}"><small id="hint-{name}">Two words at most'
        "</small></form>"
    )


def _weather(served: NoiseMoment) -> str:
    chance = served.slow_chance(0.5, "weather")
    sky, words = chance.pick(_SKIES)
    return (
        f'<div class="widget"><img src="/static/emblem.svg?sky={sky}" alt="{words}" width="24" height="24">'
        f"<p>{words}, {chance.integer(-4, 24)} °C, wind {chance.integer(0, 11)}</p></div>"
    )


def _related_articles(served: NoiseMoment) -> str:
    chosen = served.chance("related").sample(tuple(_PLACES), 4)
    cards = "".join(
        f'<article class="card"><h3><a href="{path}">{escape(_PLACES[path])}</a></h3></article>' for path in chosen
    )
    return f'<aside class="related"><h2>Related articles</h2>{cards}</aside>'


def _csrf_meta(page: str, served: NoiseMoment) -> str:
    token = draw_token(served.chance("csrf"), 40)
    return page.replace(
        "</head>", f'<meta name="csrf-param" content="t"><meta name="csrf-token" content="{token}"></head>'
    )


def _build_comment(page: str, served: NoiseMoment) -> str:
    chance = served.chance("comment")
    words = f"<!-- node {chance.integer(1, 24)}, build {draw_token(chance, 12)}, {chance.integer(3, 900)} ms -->"
    return page.replace("</body>", f"{words}</body>")


def _countdown(served: NoiseMoment) -> str:
    left = 86_400 * 40 - served.now.micros // 1_000_000 % (86_400 * 40)
    clock = f"{left % 86_400 // 3600:02}:{left % 3600 // 60:02}:{left % 60:02}"
    return f"<p>The regatta starts in <strong>{left // 86_400} days {clock}</strong></p>"


def _quotation(served: NoiseMoment) -> str:
    words, speaker = served.chance("quotation").pick(_QUOTES)
    return f"<blockquote><p>{words}</p><cite>{speaker}</cite></blockquote>"


def _ages(served: NoiseMoment) -> str:
    chance = served.fixed_chance("ages")
    names = chance.sample(("A. Fell", "the miller", "R. Quay", "a reader", "M. Stone"), 3)
    items = []
    for name in names:
        minutes = served.now.micros // 60_000_000 % chance.integer(50, 4000)
        age = f"{minutes} minutes ago" if minutes < 60 else f"{minutes // 60} hours ago"
        items.append(f"<li>{name} wrote <time>{age}</time></li>")
    return f'<ul class="latest">{"".join(items)}</ul>'


def _poll(served: NoiseMoment) -> str:
    votes = 900 + served.asked * 3 + served.now.micros // 40_000_000 % 100_000
    share = served.chance("poll").integer(40, 60)
    return f"<dl><dt>A new pier?</dt><dd>Yes {share} %</dd><dd>No {100 - share} %</dd><dd>{votes:,} votes</dd></dl>"


SECOND_NOISE: Mapping[str, DemoNoise] = {
    "ticker": DemoNoise(_ticker),
    "viewers": DemoNoise(_viewers),
    "experiment": DemoNoise(writing=_experiment),
    "assets": DemoNoise(writing=_assets),
    "element ids": DemoNoise(_element_ids),
    "weather": DemoNoise(_weather),
    "related articles": DemoNoise(_related_articles),
    "csrf meta": DemoNoise(writing=_csrf_meta),
    "build comment": DemoNoise(writing=_build_comment),
    "countdown": DemoNoise(_countdown),
    "quotation": DemoNoise(_quotation),
    "ages": DemoNoise(_ages),
    "poll": DemoNoise(_poll),
}
