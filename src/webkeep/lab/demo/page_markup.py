"""The look of every page of the demo site: the shell around its content (masthead, navigation, footer), the pieces that
pages share, such as pictures and tables, and the page shown where there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from webkeep.lab.demo.addresses import SISTER_PATH
from webkeep.lab.demo.scene_pictures import SCENE_CAPTIONS
from webkeep.lab.demo.site_resource import ResourceVersion

CHRONICLE_PATH = "/chronicle/"
PICTURE_WIDTHS_PIXELS = (320, 640, 1280)
"""Every scene comes in these widths, so that srcset has something to choose from."""
TOWN_NAME, SISTER_NAME, CHRONICLE_NAME = "The Tidewick Courier", "Upper Fell Notice Board", "The Tidewick Chronicle"

_TOWN_NAV = (
    ("/news/", "News"), ("/weather/", "Weather"), ("/events/", "Events"), ("/history/", "History"),
    ("/gallery/", "Gallery"), ("/timetable/", "Timetable"), ("/guestbook/", "Guest book"), ("/about/", "About"),
)  # fmt: skip
_SISTER_NAV = (
    (SISTER_PATH, "Notice board"), ("/upper-fell/paths/", "Paths"), ("/upper-fell/mill/", "Mill"), ("/", "Tidewick"),
)  # fmt: skip
_FOOTER_LINKS = (
    ("/site-index/", "Site index"), ("/contact/", "Contact"), ("/welcome/", "Welcome"), ("/about/imprint/", "Imprint"),
    ("/feeds/news.rss", "RSS"), ("/feeds/news.atom", "Atom"), (SISTER_PATH, "Upper Fell"), ("/desk/", "Desk"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PageLayout:
    """What a page puts into the shell."""

    title: str
    main: str
    summary: str = ""
    lang: str = "en"
    charset: str = "utf-8"
    modules: tuple[str, ...] = ()
    town: bool = True


def render_page(edition: ResourceVersion, layout: PageLayout) -> bytes:
    """The whole document, in the charset it names."""
    return _render_document(edition, layout).encode(layout.charset, "xmlcharrefreplace")


def render_anchor(edition: ResourceVersion, target: str, text: str, attributes: str = "") -> str:
    """A link to another page."""
    return f'<a href="{escape(edition.link(target))}"{attributes}>{escape(text)}</a>'


def render_paragraphs(texts: Iterable[str]) -> str:
    """Each text as a paragraph."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def scene_picture_path(name: str, width: int) -> str:
    """The path of a scene's picture of one width."""
    return f"/pictures/{name}-{width}.png"


def render_figure(
    edition: ResourceVersion, scene: str, sizes: str = "(min-width: 72rem) 70rem, 95vw", lazy: bool = False
) -> str:
    """A scene in every width, chosen by the browser, with its caption."""
    caption = escape(SCENE_CAPTIONS[scene])
    return f"<figure>{render_image(edition, scene, sizes, lazy)}<figcaption>{caption}</figcaption></figure>"


def render_image(edition: ResourceVersion, scene: str, sizes: str, lazy: bool = False) -> str:
    """A scene in every width, chosen by the browser."""
    sources = ", ".join(
        f"{escape(edition.link(scene_picture_path(scene, width)))} {width}w" for width in PICTURE_WIDTHS_PIXELS
    )
    late = ' loading="lazy"' if lazy else ""
    return (
        f'<img src="{escape(edition.link(scene_picture_path(scene, 640)))}" srcset="{sources}" sizes="{sizes}"'
        f' width="640" height="360" alt="{escape(SCENE_CAPTIONS[scene])}"{late}>'
    )


def render_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], attributes: str = "") -> str:
    """A table of plain texts, free to scroll on narrow screens."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0"><table{attributes}><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def render_breadcrumbs(edition: ResourceVersion) -> str:
    """The way up from a page, by its path."""
    parts = edition.path.strip("/").split("/")
    ways = [render_anchor(edition, "/", "Home")]
    ways += [
        render_anchor(edition, f"/{'/'.join(parts[:end])}/", _segment_words(parts[end - 1]))
        for end in range(1, len(parts))
    ]
    return f'<nav class="crumbs" aria-label="Breadcrumb">{"<span>›</span>".join(ways)}</nav>'


def _segment_words(segment: str) -> str:
    return segment.replace("-", " ").capitalize()


def _render_document(edition: ResourceVersion, layout: PageLayout) -> str:
    sister = edition.path.startswith(SISTER_PATH)
    name = SISTER_NAME if sister else TOWN_NAME if layout.town else CHRONICLE_NAME
    return (
        f'<!doctype html>\n<html lang="{layout.lang}">\n<head>\n<meta charset="{layout.charset}">\n'
        f"<title>{escape(layout.title)} · {escape(name)}</title>\n{_render_head(edition, layout)}</head>\n"
        f'<body class="{"sister" if sister else "town"}">\n'
        f'<a class="skip" href="#content">Skip to the text</a>\n{_render_masthead(edition, layout, name, sister)}'
        f'<main id="content" class="wide">\n{layout.main}\n</main>\n{_render_footer(edition, layout)}</body>\n</html>\n'
    )


def _render_head(edition: ResourceVersion, layout: PageLayout) -> str:
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
            _render_feed_link(edition, "/feeds/news.rss", "application/rss+xml"),
            _render_feed_link(edition, "/feeds/news.atom", "application/atom+xml"),
        ]
    scripts = ("/static/town.js", *layout.modules)
    lines += [f'<script type="module" src="{escape(edition.link(script))}"></script>' for script in scripts]
    return "".join(f"{line}\n" for line in lines if line)


def _render_feed_link(edition: ResourceVersion, path: str, media_type: str) -> str:
    return f'<link rel="alternate" type="{media_type}" title="{TOWN_NAME}" href="{escape(edition.link(path))}">'


def _render_masthead(edition: ResourceVersion, layout: PageLayout, name: str, sister: bool) -> str:
    home = SISTER_PATH if sister else "/"
    motto = "Nineteen farms and a mill" if sister else "News from the harbour since 1871"
    nav = _SISTER_NAV if sister else _TOWN_NAV if layout.town else ()
    items = "".join(
        f"<li>{render_anchor(edition, target, text, _current_mark(edition, target))}</li>" for target, text in nav
    )
    return (
        f'<header class="mast"><div class="wide"><a class="brand" href="{escape(edition.link(home))}">'
        f'<img src="{escape(edition.link("/static/emblem.svg"))}" alt="" width="58" height="58">'
        f"<span><b>{escape(name)}</b><small>{motto}</small></span></a>\n"
        + (f'<nav aria-label="Main"><ul>{items}</ul></nav>' if items else "")
        + "</div></header>\n"
    )


def _current_mark(edition: ResourceVersion, target: str) -> str:
    if edition.path == target:
        return ' aria-current="page"'
    inside = target not in {"/", SISTER_PATH} and edition.path.startswith(target)
    return ' aria-current="true"' if inside else ""


def _render_footer(edition: ResourceVersion, layout: PageLayout) -> str:
    links = (*_FOOTER_LINKS, *(((CHRONICLE_PATH, "Chronicle"),) if edition.chronicle else ())) if layout.town else ()
    items = "".join(f"<li>{render_anchor(edition, target, text)}</li>" for target, text in links)
    return (
        '<footer class="foot"><div class="wide">'
        + (f"<ul>{items}</ul>" if items else "")
        + "<p>An invented place, made to be archived. Everything here is drawn and written by code.</p>"
        "</div></footer>\n"
    )


# The page shown where there is none.


def render_missing_page(edition: ResourceVersion, town: bool) -> bytes:
    """The same friendly page for every address that is not there."""
    home = render_anchor(edition, "/", "Back to the front page")
    main = (
        '<p class="kicker">404</p><h1>Nothing is moored here</h1>'
        f'<p class="lede">The address may be misspelt, or the page has sailed.</p><p>{home}</p>'
    )
    return render_page(edition, PageLayout("Not found", main, town=town))
