"""The sixth set of kinds that nothing was told of: best-read lists, purchases of others, mirrors, telephone numbers,
sessions in paths, boxes between paragraphs. It was written before change detection was tried on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment, draw_token

_ARTICLES = (
    ("/gallery/", "Harbour lights, in forty pictures"),
    ("/history/", "A bridge that nobody wanted"),
    ("/events/", "Where to be on Saturday"),
    ("/timetable/", "The boat that is never late"),
    ("/about/", "Letters we could not print"),
    ("/weather/", "Why the glass was wrong"),
)
_TOWNS = ("Norton", "Brill", "Ashby", "Lower Marsh", "Kings Ferry")
_GOODS = ("tide tables", "a lamp", "two prints of the mill", "a jar of honey")
_TOPICS = ("Boats", "Pictures", "Lost things", "The mill", "Subscriptions", "Something else")
_MEMBERS = ("Ada Finch", "Tom Weller", "Mary Stone", "Ivo Brandt", "Lena Marsh", "Peter Quill")
_SKIES = ("clear", "cloud", "rain", "fog", "wind")


def _reply_time(served: NoiseMoment) -> str:
    return f"<p>We answer within {served.chance('reply').integer(2, 55)} minutes, on average.</p>"


def _best_read(served: NoiseMoment) -> str:
    found = served.chance("read").sample(_ARTICLES, 4)
    items = "".join(f'<li><a href="{path}">{escape(title)}</a></li>' for path, title in found)
    return f"<h2>Best read</h2><ol>{items}</ol>"


def _donations(served: NoiseMoment) -> str:
    raised = served.now.micros // 60_000_000 % 9000 + 10_000 + served.chance("raised").integer(0, 40)
    return f'<p>For the new lifeboat: {raised:,} of 20,000 <progress max="20000" value="{raised}"></progress></p>'


def _bought(served: NoiseMoment) -> str:
    chance = served.chance("bought")
    return f"<div class='toast'>Somebody in {chance.pick(_TOWNS)} just bought {chance.pick(_GOODS)}</div>"


def _telephone(page: str, served: NoiseMoment) -> str:
    number = served.chance("telephone").integer(1000, 9999)
    call = f'<a href="tel:+44800555{number}">0800 555 {number}</a>'
    return page.replace("</footer>", f"<p>Call us: {call}</p></footer>")


def _calendar(served: NoiseMoment) -> str:
    today = served.now.datetime.day
    cells = "".join(f"<td{' class=today' if day == today else ''}>{day}</td>" for day in range(1, 29))
    return f'<table class="calendar"><tr>{cells}</tr></table>'


def _options(served: NoiseMoment) -> str:
    options = "".join(f"<option>{each}</option>" for each in served.chance("options").shuffle(_TOPICS))
    return f'<form action="/contact/sent/"><select name="topic">{options}</select></form>'


def _session_path(served: NoiseMoment) -> str:
    key = draw_token(served.chance("path"), 24)
    return f'<p><a href="/(S({key}))/contact/">Contact</a> | <a href="/(S({key}))/guestbook/">Guest book</a></p>'


def _anchors(served: NoiseMoment) -> str:
    one, other = (draw_token(served.chance("anchor", number), 5) for number in (1, 2))
    links = f'<li><a href="#h-{one}">How to come here</a></li><li><a href="#h-{other}">How to leave</a></li>'
    return f'<ul>{links}</ul><h3 id="h-{one}">How to come here</h3><h3 id="h-{other}">How to leave</h3>'


def _mirror(served: NoiseMoment) -> str:
    name = served.chance("mirror").pick(("north", "south", "east", "west", "far"))
    return f'<p><a href="https://{name}.files.example/tides.zip">Tide tables as a file</a></p>'


def _time_element(served: NoiseMoment) -> str:
    moment = served.now.datetime
    return f'<p>Harbour log, <time datetime="{served.now.iso()}">today at {moment.hour}:{moment.minute:02}</time></p>'


def _captcha(served: NoiseMoment) -> str:
    key = draw_token(served.chance("captcha"), 16)
    return f'<form><img src="/captcha/{key}.png" alt="Letters"><input name="letters"> Type the letters</form>'


def _continues_below(page: str, served: NoiseMoment) -> str:
    box = '<div class="between"><p>The article goes on below</p></div>'
    paragraphs = page.split("</p>")
    if len(paragraphs) < 3:
        return page
    at = served.chance("between").integer(1, len(paragraphs) - 2)
    return "</p>".join(paragraphs[:at]) + "</p>" + box + "</p>".join(paragraphs[at:])


def _new_posts(served: NoiseMoment) -> str:
    count = served.chance("posts").integer(0, 12)
    return f'<p><button type="button">{count} new notes from the pier</button></p>' if count else ""


def _consent_id(page: str, served: NoiseMoment) -> str:
    chance = served.chance("consent")
    name = "-".join(draw_token(chance, length) for length in (8, 4, 4, 12))
    return page.replace("</body>", f"<p>Your choice is kept as {name}.</p></body>")


def _forecast(served: NoiseMoment) -> str:
    hour = served.now.datetime.hour
    cells = []
    for ahead in range(1, 6):
        chance = served.slow_chance(1.0, "sky", ahead)
        cells.append(f"<li>{(hour + ahead) % 24} h: {chance.pick(_SKIES)}, {chance.integer(2, 19)}&#176;</li>")
    return f"<h4>The next hours</h4><ul>{''.join(cells)}</ul>"


def _member(served: NoiseMoment) -> str:
    chance = served.chance("member")
    name, since = chance.pick(_MEMBERS), chance.integer(1961, 2020)
    return f"<figure><b>{name}</b><figcaption>Reads us since {since}</figcaption></figure>"


SIXTH_NOISE: Mapping[str, DemoNoise] = {
    "reply time": DemoNoise(_reply_time),
    "best read": DemoNoise(_best_read),
    "donations": DemoNoise(_donations),
    "bought": DemoNoise(_bought),
    "telephone": DemoNoise(writing=_telephone),
    "calendar": DemoNoise(_calendar),
    "options": DemoNoise(_options),
    "session path": DemoNoise(_session_path),
    "anchors": DemoNoise(_anchors),
    "mirror": DemoNoise(_mirror),
    "time element": DemoNoise(_time_element),
    "captcha": DemoNoise(_captcha),
    "continues below": DemoNoise(writing=_continues_below),
    "new posts": DemoNoise(_new_posts),
    "consent id": DemoNoise(writing=_consent_id),
    "hours ahead": DemoNoise(_forecast),
    "member": DemoNoise(_member),
}
