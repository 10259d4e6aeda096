"""The demo town's newspaper: front page, sections and articles, how often each changes and what is new then, and the
redirect to the newest article.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape

from webkeep.lab.demo.page_markup import (
    PageLayout,
    render_anchor,
    render_breadcrumbs,
    render_figure,
    render_image,
    render_page,
    render_paragraphs,
)
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.lab.demo.site_plan import HOUR_SECONDS, MINUTE_SECONDS
from webkeep.lab.demo.site_resource import DemoKind, DemoResource, ResourceVersion, fixed_renderer
from webkeep.lab.demo.texts import Article, read_articles, read_phrases

SECTIONS = {"harbour": "Harbour", "town": "Town", "culture": "Culture", "sport": "Sport"}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_CARD_SIZES = "(min-width: 56rem) 22rem, 92vw"


def resources() -> Iterator[DemoResource]:
    """Front page, sections, articles, and the redirect to the newest article."""
    yield DemoResource(
        "/", _render_front_page, rate=1 / (5 * MINUTE_SECONDS), title="Front page", section="news", priority=1.0
    )
    yield DemoResource(
        "/news/", _render_overview, rate=1 / (30 * MINUTE_SECONDS), title="News", section="news", priority=0.9
    )
    for name, title in SECTIONS.items():
        render = partial(_render_section, name=name)
        yield DemoResource(
            f"/news/{name}/", render, rate=1 / (2 * HOUR_SECONDS), title=title, section="news", priority=0.8
        )
    for article in read_articles():
        rate = 1 / (article.every * HOUR_SECONDS) if article.every else 0.0
        yield DemoResource(
            article.path, partial(_render_article, article=article), rate=rate, title=article.title, section="news"
        )
    newest = read_articles()[0].path
    yield DemoResource(
        "/news/latest/",
        fixed_renderer(bytes),
        kind=DemoKind.REDIRECT,
        location=newest,
        status=302,
        title="The newest article",
    )


def _render_front_page(edition: ResourceVersion) -> bytes:
    order = edition.chance("order", edition.version).shuffle(read_articles())
    lead, rest = order[0], order[1:]
    main = (
        f'<h1 class="skip">The Tidewick Courier</h1><div '
        f'class="front">{_render_lead(edition, lead)}{_render_ticker(edition)}</div>'
        f'<hr class="rule"><h2>More from the town</h2>{render_cards(edition, rest[:6])}'
        f"<p>{render_anchor(edition, '/news/', 'All news')} · "
        f"{render_anchor(edition, '/news/latest/', 'The newest article')}</p>"
    )
    return render_page(edition, PageLayout("Front page", main, "News, weather and notices from a harbour town."))


def _render_lead(edition: ResourceVersion, article: Article) -> str:
    return (
        f'<article class="lead">{render_figure(edition, article.scene, "(min-width: 56rem) 46rem, 92vw")}'
        f'<p class="kicker">{SECTIONS[article.section]}</p>'
        f"<h2>{render_anchor(edition, article.path, article.title)}</h2>"
        f'<p class="lede">{escape(article.lede)}</p></article>'
    )


def _render_ticker(edition: ResourceVersion) -> str:
    newest = 100 + edition.version
    items = "".join(
        f'<li><span class="number">No. {number}</span>{escape(_render_report(edition, number))}</li>'
        for number in range(newest, newest - 7, -1)
    )
    webcam = edition.link("/pictures/webcam.png")
    return (
        f'<aside class="aside"><h2>Edition {edition.version + 1}, in brief</h2><ul class="ticker">{items}</ul>'
        f'<figure><img src="{escape(webcam)}" width="640" height="360" alt="The harbour camera" loading="lazy">'
        "<figcaption>The harbour camera</figcaption></figure></aside>"
    )


def _render_report(edition: ResourceVersion, number: int) -> str:
    """The numbered report; its neighbours are always others."""
    order = SeededRandom(edition.seed, "reports").shuffle(read_phrases("reports"))
    return order[number * 5 % len(order)]


def render_cards(edition: ResourceVersion, chosen: Sequence[Article]) -> str:
    """Articles as a grid of cards."""
    items = (
        f'<li class="card"><figure>{render_image(edition, article.scene, _CARD_SIZES, lazy=True)}</figure>'
        f'<div><p class="kicker">{SECTIONS[article.section]}</p>'
        f"<h3>{render_anchor(edition, article.path, article.title)}</h3>"
        f"<p>{escape(article.lede)}</p></div></li>"
        for article in chosen
    )
    return f'<ul class="grid">{"".join(items)}</ul>'


def _render_overview(edition: ResourceVersion) -> bytes:
    sections = " · ".join(render_anchor(edition, f"/news/{name}/", title) for name, title in SECTIONS.items())
    main = (
        f'{render_breadcrumbs(edition)}<h1>News</h1><p class="lede">{sections}'
        f"</p>{_render_version_note(edition)}{render_cards(edition, read_articles()[:9])}"
    )
    return render_page(edition, PageLayout("News", main))


def _render_section(edition: ResourceVersion, name: str) -> bytes:
    chosen = [article for article in read_articles() if article.section == name]
    main = (
        f"{render_breadcrumbs(edition)}<h1>{SECTIONS[name]}"
        f"</h1>{_render_version_note(edition)}{render_cards(edition, chosen)}"
    )
    return render_page(edition, PageLayout(SECTIONS[name], main))


def _render_version_note(edition: ResourceVersion) -> str:
    """The line that makes one version of a list page differ from the next."""
    note = edition.chance("note", edition.version).pick(read_phrases("reports"))
    return f'<p class="byline">List no. {edition.version + 1}. Latest word: {escape(note)}.</p>'


def _render_article(edition: ResourceVersion, article: Article) -> bytes:
    related = edition.chance("related").sample([other for other in read_articles() if other != article], 3)
    revised = f" · revised {_times_words(edition.version)}" if edition.version else ""
    main = (
        f'{render_breadcrumbs(edition)}<article><p class="kicker">{SECTIONS[article.section]}</p>'
        f"<h1>{escape(article.title)}</h1>"
        f'<p class="lede">{escape(article.lede)}</p>'
        f'<p class="byline"><time datetime="{article.day}">{_day_words(article.day)}</time> · Courier '
        f"staff{revised}</p>"
        f"{render_figure(edition, article.scene)}<div "
        f'class="prose">{_render_updates(edition)}{render_paragraphs(article.text)}</div>'
        f'</article><hr class="rule"><h2>Read on</h2>{render_cards(edition, related)}'
        '<p><a href="../">More from this section</a></p>'
    )
    return render_page(edition, PageLayout(article.title, main, article.lede))


def _day_words(day: str) -> str:
    year, month, number = day.split("-")
    return f"{int(number)} {_MONTHS[int(month) - 1]} {year}"


def _times_words(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _render_updates(edition: ResourceVersion) -> str:
    """The last three revisions; each is the same in every later version that still shows it."""
    shown = range(edition.version, max(0, edition.version - 3), -1)
    return "".join(
        f'<div class="update"><p><b>Update {number}.</b> {escape(draw_report(edition, number))}</p></div>'
        for number in shown
    )


def draw_report(edition: ResourceVersion, number: int) -> str:
    """A made-up sentence: the numbered one of its page."""
    chance = edition.chance("sentence", number)
    parts = (chance.pick(read_phrases(kind)) for kind in ("subjects", "verbs", "objects", "tails"))
    return " ".join(parts)
