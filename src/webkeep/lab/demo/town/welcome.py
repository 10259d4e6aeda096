"""Greetings of the demo town in other languages: one page in an old charset that only the document itself tells, two in
other scripts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import escape

from webkeep.lab.demo.page_markup import (
    PageLayout,
    render_anchor,
    render_breadcrumbs,
    render_figure,
    render_page,
    render_paragraphs,
)
from webkeep.lab.demo.site_resource import HTML_TYPE, DemoResource, ResourceVersion


@dataclass(frozen=True, slots=True)
class _Greeting:
    lang: str
    title: str
    text: tuple[str, ...]
    charset: str = "utf-8"


_GREETINGS = (
    _Greeting(
        "fr",
        "Bienvenue à Tidewick",
        (
            "Le premier bac part à six heures moins dix ; la boulangerie ouvre en même temps.",
            "L’été, « la fête du port » réunit tout le monde sur le quai. L’entrée est libre, la soupe coûte 2 €.",
            "Cette page est écrite dans un vieux jeu de caractères : œuvres, cœurs et guillemets doivent rester.",
        ),
        "windows-1252",
    ),
    _Greeting(
        "el",
        "Καλώς ήρθατε στο Τάιντγουικ",
        (
            "Το πρώτο πλοίο φεύγει νωρίς το πρωί και ο φούρνος ανοίγει μαζί του.",
            "Ο φάρος είναι ανοιχτός το πρώτο Σάββατο κάθε μήνα. Τα σκαλιά είναι εκατόν δώδεκα.",
        ),
    ),
    _Greeting(
        "ja",
        "タイドウィックへようこそ",
        (
            "始発のフェリーは朝早く出ます。パン屋も同じ時間に開きます。",
            "灯台は毎月最初の土曜日に登ることができます。階段は百十二段です。",
        ),
    ),
)


def resources() -> Iterator[DemoResource]:
    """The greetings and the page that leads to them."""
    yield DemoResource("/welcome/", _render_welcome, title="Welcome", section="about")
    for one in _GREETINGS:
        # The old charset is told by the document alone, as old pages do.
        media_type = HTML_TYPE if one.charset == "utf-8" else "text/html"
        render = partial(_render_greeting, greeting=one)
        yield DemoResource(f"/welcome/{one.lang}/", render, media_type=media_type, title=one.title, section="about")


def _render_welcome(edition: ResourceVersion) -> bytes:
    items = "".join(
        f'<li lang="{one.lang}">'
        f"{render_anchor(edition, f'/welcome/{one.lang}/', one.title, f' hreflang={one.lang!r}')}</li>"
        for one in _GREETINGS
    )
    main = (
        f'{render_breadcrumbs(edition)}<h1>Welcome</h1><ul class="lede">{items}'
        f"</ul>{render_figure(edition, 'harbour-day')}"
    )
    return render_page(edition, PageLayout("Welcome", main))


def _render_greeting(edition: ResourceVersion, greeting: _Greeting) -> bytes:
    main = (
        f"{render_breadcrumbs(edition)}<h1>{escape(greeting.title)}</h1>"
        f'{render_figure(edition, "harbour-day")}<div class="prose">{render_paragraphs(greeting.text)}</div>'
        '<p><a href="../" hreflang="en" lang="en">English</a></p>'
    )
    return render_page(edition, PageLayout(greeting.title, main, lang=greeting.lang, charset=greeting.charset))
