"""The fifth set of kinds that nothing was told of: deliveries, ratings, sensors, departures, daylight, popups, pictures
that are signed for. It was written before change detection was tried on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SONGS = (
    ("The Ferryman's Third Wife", "The Slack Tide Band"),
    ("Lantern Song", "Choir of Upper Fell"),
    ("Nine Miles of Mud", "Old Corbin"),
    ("Herring Reel", "Two Fiddles"),
    ("Fog in the Morning", "Anna Reed"),
)
_ON_THIS_DAY = (
    "The first lamp was lit on the mole",
    "The mill burned, and was up again by spring",
    "A whale was seen below the bridge",
    "The school got its second teacher",
    "The paper cost a penny more",
)
_PLACES = ("Gull Island", "North Quay", "Upper Fell", "the Mill Stairs")
_MEDIA = "https://media.example"


def _delivery(served: NoiseMoment) -> str:
    now = served.now.datetime
    left = 24 * 60 - now.hour * 60 - now.minute
    day = _DAYS[(now.weekday() + 2) % 7]
    return f"<p>Order within {left // 60} hrs {left % 60} mins and have it by {day}.</p>"


def _ratings(served: NoiseMoment) -> str:
    hours = served.now.micros // 3_600_000_000 % 100_000
    votes = hours + served.chance("ratings").integer(0, 3)
    return f'<p class="rating"><b>4.{votes % 10}</b> out of 5, from {votes:,} ratings</p>'


def _shares(served: NoiseMoment) -> str:
    chance = served.chance("shares")
    buttons = "".join(
        f'<button type="button">{name} {chance.integer(100, 999)}</button>' for name in ("Post", "Pin", "Send")
    )
    return f'<div class="share">{buttons}</div>'


def _sharded_hosts(served: NoiseMoment) -> str:
    number = served.chance("shard").integer(1, 8)
    return f'<p><img src="https://img{number}.media.example/pier.jpg" alt="The pier" width="64" height="48"></p>'


def _livestream(served: NoiseMoment) -> str:
    watching = served.chance("live").integer(3, 4000)
    return f'<p><span class="dot"></span> Harbour camera live: {watching} watching</p>'


def _daylight(served: NoiseMoment) -> str:
    day = served.now.datetime.timetuple().tm_yday
    return f"<p>Sun up at {5 + day % 3}:{(day * 7) % 60:02}, down at {16 + day % 4}:{(day * 11) % 60:02}</p>"


def _sensors(served: NoiseMoment) -> str:
    chance = served.chance("sensors")
    rows = "".join(
        f"<tr><th>{name}</th><td>{chance.integer(low, high)} {unit}</td></tr>"
        for name, low, high, unit in (("Dust", 3, 60, "&#181;g"), ("Noise", 30, 80, "dB"), ("River", 90, 240, "cm"))
    )
    return f"<table>{rows}</table>"


def _made_classes(page: str, served: NoiseMoment) -> str:
    made = f"css-{draw_token(served.chance('classes'), 7)}"
    return page.replace("<p>", f'<p class="{made}">')


def _popup(page: str, served: NoiseMoment) -> str:
    if served.chance("popup").integer(0, 1):
        return page
    offer = "<h2>Stay in touch</h2><p>Have the paper sent to you every Friday.</p><button>No, thank you</button>"
    return page.replace("</body>", f'<div role="dialog" class="popup">{offer}</div></body>')


def _partners(page: str, served: NoiseMoment) -> str:
    count = served.slow_chance(7.0, "partners").integer(600, 900)
    words = f"We and our {count} partners store what your browser tells us."
    return page.replace("</body>", f'<div id="consent"><p>{words}</p><button>Agree</button></div></body>')


def _protected_mail(served: NoiseMoment) -> str:
    key = draw_token(served.chance("protected"), 34)
    return f'<p>Write to <a href="/contact/email-protection#{key}">[email protected]</a></p>'


def _padding(served: NoiseMoment) -> str:
    chance = served.chance("padding")
    value = draw_token(chance, chance.integer(8, 64))
    return (
        f'<form action="/contact/sent/"><input type="hidden" name="pad" value="{value}"><button>Ask us</button></form>'
    )


def _signed_pictures(served: NoiseMoment) -> str:
    key = draw_token(served.chance("signed"), 20)
    return f'<figure><img src="{_MEDIA}/{key}/mill.jpg" alt="The mill"><figcaption>The mill</figcaption></figure>'


def _on_air(served: NoiseMoment) -> str:
    title, band = served.slow_chance(0.05, "air").pick(_SONGS)
    return f"<p>On Harbour Radio: <i>{escape(title)}</i> &mdash; {escape(band)}</p>"


def _car_park(served: NoiseMoment) -> str:
    return f"<p>Car park by the church: {served.chance('park').integer(0, 240)} of 240 places free</p>"


def _result_time(served: NoiseMoment) -> str:
    chance = served.chance("results")
    return f"<p><small>About 1,{chance.integer(100, 999)} results (0.{chance.integer(10, 99)} seconds)</small></p>"


def _address(page: str, served: NoiseMoment) -> str:
    chance = served.chance("address")
    words = f"You come from 10.{chance.integer(0, 255)}.{chance.integer(0, 255)}.{chance.integer(1, 254)}"
    return page.replace("</footer>", f"<p>{words}</p></footer>")


def _open_now(served: NoiseMoment) -> str:
    hour = served.now.datetime.hour
    words = "Open now, until 17:00" if 8 <= hour < 17 else "Closed now, opens at 8:00"
    return f'<p class="hours">Harbour office: <span>{words}</span></p>'


def _departures(served: NoiseMoment) -> str:
    now = served.now.datetime.hour * 60 + served.now.datetime.minute
    rows = []
    for number in range(1, 5):
        leaves = (now // 20 + number) * 20 % 1440
        place = _PLACES[(leaves // 20) % len(_PLACES)]
        rows.append(f"<tr><td>{leaves // 60}:{leaves % 60:02}</td><td>{place}</td></tr>")
    return f"<table><caption>Next boats</caption>{''.join(rows)}</table>"


def _on_this_day(served: NoiseMoment) -> str:
    words = served.slow_chance(24.0, "day").pick(_ON_THIS_DAY)
    return f"<aside><h4>On this day</h4><p>{escape(words)}.</p></aside>"


def _survey(served: NoiseMoment) -> str:
    key = draw_token(served.chance("survey"), 10)
    return f'<p><a href="/contact/survey/{key}/">Tell us what you think of this page</a></p>'


FIFTH_NOISE: Mapping[str, DemoNoise] = {
    "delivery": DemoNoise(_delivery),
    "ratings": DemoNoise(_ratings),
    "shares": DemoNoise(_shares),
    "sharded hosts": DemoNoise(_sharded_hosts),
    "livestream": DemoNoise(_livestream),
    "daylight": DemoNoise(_daylight),
    "sensors": DemoNoise(_sensors),
    "made classes": DemoNoise(writing=_made_classes),
    "popup": DemoNoise(writing=_popup),
    "partners": DemoNoise(writing=_partners),
    "protected mail": DemoNoise(_protected_mail),
    "padding": DemoNoise(_padding),
    "signed pictures": DemoNoise(_signed_pictures),
    "on air": DemoNoise(_on_air),
    "car park": DemoNoise(_car_park),
    "result time": DemoNoise(_result_time),
    "address": DemoNoise(writing=_address),
    "open now": DemoNoise(_open_now),
    "departures": DemoNoise(_departures),
    "on this day": DemoNoise(_on_this_day),
    "survey": DemoNoise(_survey),
}
