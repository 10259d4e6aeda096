"""The newspaper: front page, sections and articles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape

from webkeep.lab.demo.chance import Chance
from webkeep.lab.demo.markup import Layout, anchor, crumbs, figure, image, page, paragraphs
from webkeep.lab.demo.plan import HOUR, MINUTE
from webkeep.lab.demo.resource import Edition, Kind, Resource, fixed
from webkeep.lab.demo.texts import Article, articles, phrases

SECTIONS = {"harbour": "Harbour", "town": "Town", "culture": "Culture", "sport": "Sport"}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_CARD_SIZES = "(min-width: 56rem) 22rem, 92vw"


def resources() -> Iterator[Resource]:
    """Front page, sections, articles, and the redirect to the newest article."""
    yield Resource("/", _front, rate=1 / (5 * MINUTE), title="Front page", section="news", priority=1.0)
    yield Resource("/news/", _overview, rate=1 / (30 * MINUTE), title="News", section="news", priority=0.9)
    for name, title in SECTIONS.items():
        render = partial(_section, name=name)
        yield Resource(f"/news/{name}/", render, rate=1 / (2 * HOUR), title=title, section="news", priority=0.8)
    for article in articles():
        rate = 1 / (article.every * HOUR) if article.every else 0.0
        yield Resource(article.path, partial(_article, article=article), rate=rate, title=article.title, section="news")
    newest = articles()[0].path
    yield Resource(
        "/news/latest/", fixed(bytes), kind=Kind.REDIRECT, location=newest, status=302, title="The newest article"
    )


def _front(edition: Edition) -> bytes:
    order = edition.chance("order", edition.version).shuffled(articles())
    lead, rest = order[0], order[1:]
    main = (
        f'<h1 class="skip">The Tidewick Courier</h1><div class="front">{_lead(edition, lead)}{_ticker(edition)}</div>'
        f'<hr class="rule"><h2>More from the town</h2>{cards(edition, rest[:6])}'
        f"<p>{anchor(edition, '/news/', 'All news')} · {anchor(edition, '/news/latest/', 'The newest article')}</p>"
    )
    return page(edition, Layout("Front page", main, "News, weather and notices from a harbour town."))


def _lead(edition: Edition, article: Article) -> str:
    return (
        f'<article class="lead">{figure(edition, article.scene, "(min-width: 56rem) 46rem, 92vw")}'
        f'<p class="kicker">{SECTIONS[article.section]}</p><h2>{anchor(edition, article.path, article.title)}</h2>'
        f'<p class="lede">{escape(article.lede)}</p></article>'
    )


def _ticker(edition: Edition) -> str:
    newest = 100 + edition.version
    items = "".join(
        f'<li><span class="number">No. {number}</span>{escape(_report(edition, number))}</li>'
        for number in range(newest, newest - 7, -1)
    )
    webcam = edition.link("/pictures/webcam.png")
    return (
        f'<aside class="aside"><h2>Edition {edition.version + 1}, in brief</h2><ul class="ticker">{items}</ul>'
        f'<figure><img src="{escape(webcam)}" width="640" height="360" alt="The harbour camera" loading="lazy">'
        "<figcaption>The harbour camera</figcaption></figure></aside>"
    )


def _report(edition: Edition, number: int) -> str:
    """The numbered report; its neighbours are always others."""
    order = Chance(edition.seed, "reports").shuffled(phrases("reports"))
    return order[number * 5 % len(order)]


def cards(edition: Edition, chosen: Sequence[Article]) -> str:
    """Articles as a grid of cards."""
    items = (
        f'<li class="card"><figure>{image(edition, article.scene, _CARD_SIZES, lazy=True)}</figure>'
        f'<div><p class="kicker">{SECTIONS[article.section]}</p><h3>{anchor(edition, article.path, article.title)}</h3>'
        f"<p>{escape(article.lede)}</p></div></li>"
        for article in chosen
    )
    return f'<ul class="grid">{"".join(items)}</ul>'


def _overview(edition: Edition) -> bytes:
    sections = " · ".join(anchor(edition, f"/news/{name}/", title) for name, title in SECTIONS.items())
    main = (
        f'{crumbs(edition)}<h1>News</h1><p class="lede">{sections}</p>{_note(edition)}{cards(edition, articles()[:9])}'
    )
    return page(edition, Layout("News", main))


def _section(edition: Edition, name: str) -> bytes:
    chosen = [article for article in articles() if article.section == name]
    main = f"{crumbs(edition)}<h1>{SECTIONS[name]}</h1>{_note(edition)}{cards(edition, chosen)}"
    return page(edition, Layout(SECTIONS[name], main))


def _note(edition: Edition) -> str:
    """The line that makes one version of a list page differ from the next."""
    note = edition.chance("note", edition.version).pick(phrases("reports"))
    return f'<p class="byline">List no. {edition.version + 1}. Latest word: {escape(note)}.</p>'


def _article(edition: Edition, article: Article) -> bytes:
    related = edition.chance("related").some([other for other in articles() if other != article], 3)
    revised = f" · revised {_times(edition.version)}" if edition.version else ""
    main = (
        f'{crumbs(edition)}<article><p class="kicker">{SECTIONS[article.section]}</p><h1>{escape(article.title)}</h1>'
        f'<p class="lede">{escape(article.lede)}</p>'
        f'<p class="byline"><time datetime="{article.day}">{_spoken(article.day)}</time> · Courier staff{revised}</p>'
        f'{figure(edition, article.scene)}<div class="prose">{_updates(edition)}{paragraphs(article.text)}</div>'
        f'</article><hr class="rule"><h2>Read on</h2>{cards(edition, related)}'
        '<p><a href="../">More from this section</a></p>'
    )
    return page(edition, Layout(article.title, main, article.lede))


def _spoken(day: str) -> str:
    year, month, number = day.split("-")
    return f"{int(number)} {_MONTHS[int(month) - 1]} {year}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _updates(edition: Edition) -> str:
    """The last three revisions; each is the same in every later version that still shows it."""
    shown = range(edition.version, max(0, edition.version - 3), -1)
    return "".join(
        f'<div class="update"><p><b>Update {number}.</b> {escape(short_report(edition, number))}</p></div>'
        for number in shown
    )


def short_report(edition: Edition, number: int) -> str:
    """A made-up sentence: the numbered one of its page."""
    chance = edition.chance("sentence", number)
    parts = (chance.pick(phrases(kind)) for kind in ("subjects", "verbs", "objects", "tails"))
    return " ".join(parts)
