"""The look of every page: the shell around its content, and the pieces pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from webkeep.lab.demo.addresses import SISTER_HOME
from webkeep.lab.demo.pictures.scene import SCENES
from webkeep.lab.demo.resource import Edition

CHRONICLE_HOME = "/chronicle/"
WIDTHS = (320, 640, 1280)
TOWN_NAME, SISTER_NAME, CHRONICLE_NAME = "The Tidewick Courier", "Upper Fell Notice Board", "The Tidewick Chronicle"

_TOWN_NAV = (
    ("/news/", "News"), ("/weather/", "Weather"), ("/events/", "Events"), ("/history/", "History"),
    ("/gallery/", "Gallery"), ("/timetable/", "Timetable"), ("/guestbook/", "Guest book"), ("/about/", "About"),
)  # fmt: skip
_SISTER_NAV = (
    (SISTER_HOME, "Notice board"), ("/upper-fell/paths/", "Paths"), ("/upper-fell/mill/", "Mill"), ("/", "Tidewick"),
)  # fmt: skip
_FOOT = (
    ("/site-index/", "Site index"), ("/contact/", "Contact"), ("/welcome/", "Welcome"), ("/about/imprint/", "Imprint"),
    ("/feeds/news.rss", "RSS"), ("/feeds/news.atom", "Atom"), (SISTER_HOME, "Upper Fell"), ("/desk/", "Desk"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """What a page puts into the shell."""

    title: str
    main: str
    summary: str = ""
    lang: str = "en"
    charset: str = "utf-8"
    modules: tuple[str, ...] = ()
    town: bool = True


def page(edition: Edition, layout: Layout) -> bytes:
    """The whole document, in the charset it names."""
    return _document(edition, layout).encode(layout.charset, "xmlcharrefreplace")


def anchor(edition: Edition, target: str, text: str, attributes: str = "") -> str:
    """A link to another page."""
    return f'<a href="{escape(edition.link(target))}"{attributes}>{escape(text)}</a>'


def paragraphs(texts: Iterable[str]) -> str:
    """Each text as a paragraph."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def scene_picture(name: str, width: int) -> str:
    """The path of a scene's picture of one width."""
    return f"/pictures/{name}-{width}.png"


def figure(edition: Edition, scene: str, sizes: str = "(min-width: 72rem) 70rem, 95vw", lazy: bool = False) -> str:
    """A scene in every width, chosen by the browser, with its caption."""
    caption = escape(SCENES[scene].caption)
    return f"<figure>{image(edition, scene, sizes, lazy)}<figcaption>{caption}</figcaption></figure>"


def image(edition: Edition, scene: str, sizes: str, lazy: bool = False) -> str:
    """A scene in every width, chosen by the browser."""
    sources = ", ".join(f"{escape(edition.link(scene_picture(scene, width)))} {width}w" for width in WIDTHS)
    late = ' loading="lazy"' if lazy else ""
    return (
        f'<img src="{escape(edition.link(scene_picture(scene, 640)))}" srcset="{sources}" sizes="{sizes}"'
        f' width="640" height="360" alt="{escape(SCENES[scene].caption)}"{late}>'
    )


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], attributes: str = "") -> str:
    """A table of plain texts, free to scroll on narrow screens."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0"><table{attributes}><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def crumbs(edition: Edition) -> str:
    """The way up from a page, by its path."""
    parts = edition.path.strip("/").split("/")
    ways = [anchor(edition, "/", "Home")]
    ways += [anchor(edition, f"/{'/'.join(parts[:end])}/", _spoken(parts[end - 1])) for end in range(1, len(parts))]
    return f'<nav class="crumbs" aria-label="Breadcrumb">{"<span>›</span>".join(ways)}</nav>'


def _spoken(segment: str) -> str:
    return segment.replace("-", " ").capitalize()


def _document(edition: Edition, layout: Layout) -> str:
    sister = edition.path.startswith(SISTER_HOME)
    name = SISTER_NAME if sister else TOWN_NAME if layout.town else CHRONICLE_NAME
    return (
        f'<!doctype html>\n<html lang="{layout.lang}">\n<head>\n<meta charset="{layout.charset}">\n'
        f"<title>{escape(layout.title)} · {escape(name)}</title>\n{_head(edition, layout)}</head>\n"
        f'<body class="{"sister" if sister else "town"}">\n'
        f'<a class="skip" href="#content">Skip to the text</a>\n{_masthead(edition, layout, name, sister)}'
        f'<main id="content" class="wide">\n{layout.main}\n</main>\n{_footer(edition, layout)}</body>\n</html>\n'
    )


def _head(edition: Edition, layout: Layout) -> str:
    lines = [
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="description" content="{escape(layout.summary or layout.title)}">',
        '<meta name="color-scheme" content="light dark">',
        f'<link rel="icon" type="image/svg+xml" href="{escape(edition.link("/static/emblem.svg"))}">',
        f'<link rel="stylesheet" href="{escape(edition.link("/static/town.css"))}">',
    ]
    if layout.town:
        lines += [
            '<link rel="manifest" href="/manifest.webmanifest">' if edition.link("/") == "/" else "",
            _feed(edition, "/feeds/news.rss", "application/rss+xml"),
            _feed(edition, "/feeds/news.atom", "application/atom+xml"),
        ]
    scripts = ("/static/town.js", *layout.modules)
    lines += [f'<script type="module" src="{escape(edition.link(script))}"></script>' for script in scripts]
    return "".join(f"{line}\n" for line in lines if line)


def _feed(edition: Edition, path: str, media_type: str) -> str:
    return f'<link rel="alternate" type="{media_type}" title="{TOWN_NAME}" href="{escape(edition.link(path))}">'


def _masthead(edition: Edition, layout: Layout, name: str, sister: bool) -> str:
    home = SISTER_HOME if sister else "/"
    motto = "Nineteen farms and a mill" if sister else "News from the harbour since 1871"
    nav = _SISTER_NAV if sister else _TOWN_NAV if layout.town else ()
    items = "".join(f"<li>{anchor(edition, target, text, _current(edition, target))}</li>" for target, text in nav)
    return (
        f'<header class="mast"><div class="wide"><a class="brand" href="{escape(edition.link(home))}">'
        f'<img src="{escape(edition.link("/static/emblem.svg"))}" alt="" width="58" height="58">'
        f"<span><b>{escape(name)}</b><small>{motto}</small></span></a>\n"
        + (f'<nav aria-label="Main"><ul>{items}</ul></nav>' if items else "")
        + "</div></header>\n"
    )


def _current(edition: Edition, target: str) -> str:
    if edition.path == target:
        return ' aria-current="page"'
    inside = target not in {"/", SISTER_HOME} and edition.path.startswith(target)
    return ' aria-current="true"' if inside else ""


def _footer(edition: Edition, layout: Layout) -> str:
    links = (*_FOOT, *(((CHRONICLE_HOME, "Chronicle"),) if edition.chronicle else ())) if layout.town else ()
    items = "".join(f"<li>{anchor(edition, target, text)}</li>" for target, text in links)
    return (
        '<footer class="foot"><div class="wide">'
        + (f"<ul>{items}</ul>" if items else "")
        + "<p>An invented place, made to be archived. Everything here is drawn and written by code.</p>"
        "</div></footer>\n"
    )
