"""The seventh set of kinds that nothing was told of: prices that move, helpers in a chat, films by turns, cards in any
order, counts of comments, numbers of reference. It was written before change detection was tried on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_WORDS = (
    ("Slack", "The still time between two tides"),
    ("Fettle", "To mend a net, or a mood"),
    ("Haar", "Fog that comes in from the sea"),
    ("Bight", "A bend in a rope or a shore"),
    ("Spindrift", "What the wind takes off a wave"),
)
_HELPERS = ("Anna", "Piet", "Rosa", "Jon", "Mei", "Olu")
_CARDS = (("/gallery/", "Pictures"), ("/events/", "Events"), ("/history/", "History"), ("/timetable/", "Boats"))
_SKIES = ("sun", "rain", "fog", "gale")
_SURPRISES = ("/gallery/", "/events/", "/history/", "/timetable/", "/about/", "/guestbook/", "/weather/")


def _price(served: NoiseMoment) -> str:
    pence = served.chance("price").integer(820, 1960)
    return f"<p>Day tickets from <b>&pound;{pence // 100}.{pence % 100:02}</b></p>"


def _word(served: NoiseMoment) -> str:
    word, meaning = served.slow_chance(3.0, "word").pick(_WORDS)
    return f'<dl class="word"><dt>{word}</dt><dd>{escape(meaning)}</dd></dl>'


def _clip(served: NoiseMoment) -> str:
    number = served.chance("clip").integer(1, 6)
    return f'<video src="https://media.example/clips/{number}.webm" muted loop width="320" height="180"></video>'


def _chat(page: str, served: NoiseMoment) -> str:
    chance = served.chance("chat")
    box = f'<div id="chat-{draw_token(chance, 6)}" class="chat"><p>{chance.pick(_HELPERS)} is here to help</p></div>'
    return page.replace("</body>", f"{box}</body>")


def _distance(served: NoiseMoment) -> str:
    tenths = served.chance("distance").integer(4, 320)
    return f"<p>The next landing stage is {tenths / 10} km from where you are.</p>"


def _session_end(served: NoiseMoment) -> str:
    end = served.now.plus(1200).datetime
    return f"<p><small>You are logged out at {end.hour:02}:{end.minute:02}:{end.second:02}.</small></p>"


def _useful(served: NoiseMoment) -> str:
    chance = served.chance("useful")
    share = chance.integer(40, 95)
    return f'<p><meter value="{share}" max="100"></meter> {share}% of {chance.integer(100, 900)} found this useful</p>'


def _cards(served: NoiseMoment) -> str:
    cards = served.chance("cards").shuffle(_CARDS)
    return '<div class="grid">' + "".join(f'<a href="{path}"><b>{name}</b></a>' for path, name in cards) + "</div>"


def _comments(served: NoiseMoment) -> str:
    count = served.now.micros // 600_000_000 % 1000 + served.chance("comments").integer(0, 1)
    return f'<p><a href="/guestbook/?count={count}">{count} comments</a></p>'


def _newest_reader(served: NoiseMoment) -> str:
    chance = served.chance("newest")
    return f"<p>Our newest reader: <em>{chance.pick(_HELPERS).lower()}_{chance.integer(10, 99)}</em></p>"


def _sky(served: NoiseMoment) -> str:
    sky = served.slow_chance(2.0, "icon").pick(_SKIES)
    return f'<p class="sky"><img src="https://media.example/icons/{sky}.svg" alt="{sky}" width="24" height="24"></p>'


def _surprise(served: NoiseMoment) -> str:
    return f'<p><a href="{served.chance("surprise").pick(_SURPRISES)}">Surprise me</a></p>'


def _reference(page: str, served: NoiseMoment) -> str:
    chance = served.chance("reference")
    number = "-".join(draw_token(chance, 4).upper() for _ in range(3))
    return page.replace("</footer>", f"<p>Reference: {number}</p></footer>")


SEVENTH_NOISE: Mapping[str, DemoNoise] = {
    "price": DemoNoise(_price),
    "word": DemoNoise(_word),
    "clip": DemoNoise(_clip),
    "chat": DemoNoise(writing=_chat),
    "distance": DemoNoise(_distance),
    "session end": DemoNoise(_session_end),
    "useful": DemoNoise(_useful),
    "cards": DemoNoise(_cards),
    "comments": DemoNoise(_comments),
    "newest reader": DemoNoise(_newest_reader),
    "sky": DemoNoise(_sky),
    "surprise": DemoNoise(_surprise),
    "reference": DemoNoise(writing=_reference),
}
