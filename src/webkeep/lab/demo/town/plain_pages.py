"""Pages of the demo town that stay: plain texts, flood marks deep down, the contact form, the site index, a redirect,
and one page that only the sitemap names.
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
    render_page,
    render_paragraphs,
    render_table,
)
from webkeep.lab.demo.site_resource import DemoKind, DemoReach, DemoResource, ResourceVersion, fixed_renderer
from webkeep.lab.demo.texts import PlainPage, read_articles, read_plain_pages

FLOOD_MARKS_PATH = "/history/great-flood/survey/marks/"
FORM_SENT_PATH = "/contact/send/"
_UNLINKED_PATH = "/news/harbour/unlisted-notice/"
_MAP_PATH = "/pictures/map.svg"


def resources() -> Iterator[DemoResource]:
    """Everything that is written once and stays."""
    for one in read_plain_pages():
        reach = DemoReach.SITEMAP if one.path == _UNLINKED_PATH else DemoReach.LINK
        section = one.path.split("/")[1]
        yield DemoResource(
            one.path, partial(_render_plain_page, plain=one), title=one.title, section=section, reach=reach
        )
    yield DemoResource(FLOOD_MARKS_PATH, _render_flood_marks, title="The flood marks", section="history", priority=0.3)
    yield DemoResource("/contact/", _render_contact_form, title="Contact", section="about")
    yield DemoResource(
        "/contact/thanks/", _render_thanks, title="Thank you", section="about", reach=DemoReach.FORM, priority=0.1
    )
    yield DemoResource("/site-index/", _render_site_index, title="Site index", section="about")
    yield DemoResource(
        "/old-harbour/",
        fixed_renderer(bytes),
        kind=DemoKind.REDIRECT,
        location="/history/old-harbour/",
        status=301,
        title="The old harbour",
    )


def _render_plain_page(edition: ResourceVersion, plain: PlainPage) -> bytes:
    main = (
        f'{render_breadcrumbs(edition)}<h1>{escape(plain.title)}</h1><p class="lede">{escape(plain.lede)}</p>'
        f"{render_figure(edition, plain.scene)}<div "
        f'class="prose">{render_paragraphs(plain.text)}{_render_further_links(edition)}</div>'
    )
    return render_page(edition, PageLayout(plain.title, main, plain.lede))


def _render_further_links(edition: ResourceVersion) -> str:
    """Links to the pages one step below, and the town map on the page about the town."""
    below = [(one.path, one.title) for one in read_plain_pages() if _parent_path(one.path) == edition.path]
    if edition.path == "/history/":
        below.append(("/old-harbour/", "Where the harbour used to be"))
    if _parent_path(FLOOD_MARKS_PATH) == edition.path:
        below.append((FLOOD_MARKS_PATH, "The flood marks"))
    items = "".join(f"<li>{render_anchor(edition, path, title)}</li>" for path, title in below)
    plan = (
        f'<figure><img src="{escape(edition.link(_MAP_PATH))}" width="800" height="450" alt="Plan of the town">'
        f"</figure>"
    )
    return (plan if edition.path == "/about/" else "") + (f"<h2>Further</h2><ul>{items}</ul>" if items else "")


def _parent_path(path: str) -> str:
    return path[: path.rstrip("/").rindex("/") + 1]


def _render_flood_marks(edition: ResourceVersion) -> bytes:
    chance = edition.chance("marks")
    places = ("Church door", "Fish hall", "Ropewalk", "Mill bridge", "School", "Chandlery", "Net Street", "Lamp room")
    rows: list[Sequence[str]] = [
        (f"{number}", chance.pick(places), f"{chance.uniform(4.62, 4.66):.2f} m", chance.pick(("cut", "painted")))
        for number in range(1, 20)
    ]
    main = (
        f"{render_breadcrumbs(edition)}<h1>The flood marks</h1>"
        f"{render_table('Height above the zero of the gauge', ('Mark', 'Place', 'Height', 'Kind'), rows)}"
        '<p><a href="../">Back to the survey</a> · <a href="../../">The great flood</a></p>'
    )
    return render_page(edition, PageLayout("The flood marks", main))


def _render_contact_form(edition: ResourceVersion) -> bytes:
    main = (
        f'{render_breadcrumbs(edition)}<h1>Contact</h1><p class="lede">The harbour office reads all before the '
        f"noon ferry.</p>"
        f'<form method="post" action="{FORM_SENT_PATH}">'
        '<label>Your name <input name="name" autocomplete="name" required></label>'
        '<label>About <select name="about"><option>A berth</option><option>The Courier</option>'
        "<option>Lost property</option></select></label>"
        '<label>Message <textarea name="message" rows="6" required></textarea></label>'
        '<button type="submit">Send</button></form>'
    )
    return render_page(edition, PageLayout("Contact", main))


def _render_thanks(edition: ResourceVersion) -> bytes:
    back = render_anchor(edition, "/", "Back to the front page")
    main = (
        f'{render_breadcrumbs(edition)}<h1>Thank you</h1><p class="lede">Your message is on the next boat.</p>'
        f"<p>{back}</p>"
    )
    return render_page(edition, PageLayout("Thank you", main))


def _render_site_index(edition: ResourceVersion) -> bytes:
    listed = [(one.path, one.title) for one in read_articles()]
    listed += [(one.path, one.title) for one in read_plain_pages() if one.path != _UNLINKED_PATH]
    items = "".join(
        f"<li>{render_anchor(edition, path, title)}</li>" for path, title in sorted(listed, key=lambda one: one[1])
    )
    main = f'{render_breadcrumbs(edition)}<h1>Site index</h1><ul class="columns">{items}</ul>'
    return render_page(edition, PageLayout("Site index", main))
