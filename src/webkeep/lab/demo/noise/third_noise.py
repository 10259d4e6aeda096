"""The third set of kinds that nothing was told of: riddles for robots, pixels, states of scripts, loads, carousels. It
was written together with the second, before change detection was tried on either.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_NAMES = ("brine", "osprey9", "Old Tam", "millgirl", "kittiwake", "ferryman", "sooty", "Ada of the Fell", "harbour_cat")
_COMMENTS = (
    "Never saw the bay so still",
    "My grandmother danced there",
    "The third picture is not the mill",
    "Is the footpath open again",
    "More of this, please",
    "They said the same in the year of the flood",
    "We came by the early boat and were not sorry",
    "Spelling of the captain's name is wrong",
    "Who paid for the lamp",
)
_TAGS = {
    "tides": "/weather/tides/", "fair": "/events/", "boats": "/timetable/", "mill": "/upper-fell/mill/",
    "paths": "/upper-fell/paths/", "pictures": "/gallery/", "founding": "/history/",
}  # fmt: skip
_SCENES = ("harbour", "mill", "lighthouse", "market", "moor")


def _riddle(served: NoiseMoment) -> str:
    chance = served.chance("riddle")
    return (
        f"<form><label>To show you are no robot: what is {chance.integer(1, 9)} plus {chance.integer(1, 9)}? "
        '<input name="answer"></label></form>'
    )


def _honeypot(served: NoiseMoment) -> str:
    name = draw_token(served.chance("honeypot"), 8)
    return f'<form action="/contact/sent/"><input name="f_{name}" tabindex="-1"><button>Send a note</button></form>'


def _pixel(page: str, served: NoiseMoment) -> str:
    number = served.chance("pixel").integer(1, 10**12)
    return page.replace("</body>", f'<img src="/static/emblem.svg?i={number}" width="1" height="1" alt=""></body>')


def _script_state(page: str, served: NoiseMoment) -> str:
    chance = served.chance("state")
    state = f'{{"request": "{draw_token(chance, 16)}", "at": {served.now.micros}, "flags": [{chance.integer(0, 9)}]}}'
    return page.replace("</body>", f'<script type="application/json" id="state">{state}</script></body>')


def _click_marks(served: NoiseMoment) -> str:
    mark = draw_token(served.chance("click"), 10)
    return f'<p><a href="/events/?ref={mark}">What is on</a> · <a href="/guestbook/?ref={mark}">Guest book</a></p>'


def _online(served: NoiseMoment) -> str:
    chance = served.chance("online")
    names = ", ".join(chance.sample(_NAMES, chance.integer(2, 5)))
    return f"<h3>Who is here</h3><p>{names} and {chance.integer(1, 40)} guests</p>"


def _load(page: str, served: NoiseMoment) -> str:
    chance = served.chance("load")
    words = (
        f"{chance.integer(3, 90)} queries &middot; {chance.integer(10, 900) / 1000:.3f} s &middot; "
        f"{chance.integer(20, 640) / 10:.1f} MB"
    )
    return page.replace("</footer>", f"<small>{words}</small></footer>")


def _greeting(served: NoiseMoment) -> str:
    hour = served.now.datetime.hour
    part = "night" if hour < 5 else "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    return f'<p class="hello">Good {part}, dear reader.</p>'


def _tide(served: NoiseMoment) -> str:
    minutes = 745 - served.now.micros // 60_000_000 % 745
    height = served.chance("tide").integer(31, 49) / 10
    return f"<p>High water in {minutes // 60} h {minutes % 60} min, <em>{height} m</em></p>"


def _carousel(served: NoiseMoment) -> str:
    chance = served.chance("carousel")
    scenes = chance.shuffle(_SCENES)
    slides = "".join(
        f'<div class="{name}"><img src="/static/emblem.svg#{scene}" alt="{scene}"></div>'
        for name, scene in zip(("slide active", *["slide"] * len(scenes)), scenes, strict=False)
    )
    return f'<div class="carousel" data-start="{chance.integer(0, 4)}">{slides}</div>'


def _rates(served: NoiseMoment) -> str:
    chance = served.chance("rates")
    sign = chance.pick("+-")
    return (
        f"<p>1 crown buys {chance.integer(29_000, 33_000) / 10_000:.4f} groats "
        f"({sign}{chance.integer(1, 99) / 100:.2f})</p>"
    )


def _tags(served: NoiseMoment) -> str:
    chance = served.chance("tags")
    links = " ".join(
        f'<a class="size-{chance.integer(1, 6)}" href="{_TAGS[tag]}">{tag}</a>' for tag in chance.shuffle(tuple(_TAGS))
    )
    return f'<div class="cloud">{links}</div>'


def _remarks(served: NoiseMoment) -> str:
    chance = served.chance("remarks")
    items = "".join(
        f"<li><b>{escape(chance.pick(_NAMES))}</b>: {escape(words)}</li>" for words in chance.sample(_COMMENTS, 3)
    )
    return f"<h3>Overheard</h3><ol>{items}</ol>"


def _sparkline(served: NoiseMoment) -> str:
    chance = served.chance("spark")
    points = " ".join(f"{x},{chance.integer(0, 40)}" for x in range(0, 100, 10))
    return (
        f'<svg viewBox="0 0 100 40"><polyline points="{points}"/></svg>'
        f'<div class="needle" style="left: {chance.integer(0, 99)}px"></div>'
    )


def _mail(served: NoiseMoment) -> str:
    key = draw_token(served.chance("mail"), 34)
    return f'<p>Letters to <a href="#mail" data-mail="{key}">[shown to people only]</a></p>'


THIRD_NOISE: Mapping[str, DemoNoise] = {
    "riddle": DemoNoise(_riddle),
    "honeypot": DemoNoise(_honeypot),
    "pixel": DemoNoise(writing=_pixel),
    "script state": DemoNoise(writing=_script_state),
    "click marks": DemoNoise(_click_marks),
    "online": DemoNoise(_online),
    "load": DemoNoise(writing=_load),
    "greeting": DemoNoise(_greeting),
    "tide": DemoNoise(_tide),
    "carousel": DemoNoise(_carousel),
    "rates": DemoNoise(_rates),
    "tags": DemoNoise(_tags),
    "remarks": DemoNoise(_remarks),
    "sparkline": DemoNoise(_sparkline),
    "mail": DemoNoise(_mail),
}
