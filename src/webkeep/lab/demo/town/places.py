"""Pages of plain text, the flood marks, the contact form and the site index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape

from webkeep.lab.demo.markup import Layout, anchor, crumbs, figure, page, paragraphs, table
from webkeep.lab.demo.resource import Edition, Kind, Reach, Resource, fixed
from webkeep.lab.demo.texts import PlainPage, articles, plain_pages

MARKS = "/history/great-flood/survey/marks/"
SENT = "/contact/send/"
_UNLINKED = "/news/harbour/unlisted-notice/"
_MAP = "/pictures/map.svg"


def resources() -> Iterator[Resource]:
    """Everything that is written once and stays."""
    for one in plain_pages():
        reach = Reach.SITEMAP if one.path == _UNLINKED else Reach.LINK
        section = one.path.split("/")[1]
        yield Resource(one.path, partial(_plain, plain=one), title=one.title, section=section, reach=reach)
    yield Resource(MARKS, _marks, title="The flood marks", section="history", priority=0.3)
    yield Resource("/contact/", _contact, title="Contact", section="about")
    yield Resource("/contact/thanks/", _thanks, title="Thank you", section="about", reach=Reach.FORM, priority=0.1)
    yield Resource("/site-index/", _index, title="Site index", section="about")
    yield Resource(
        "/old-harbour/",
        fixed(bytes),
        kind=Kind.REDIRECT,
        location="/history/old-harbour/",
        status=301,
        title="The old harbour",
    )


def _plain(edition: Edition, plain: PlainPage) -> bytes:
    main = (
        f'{crumbs(edition)}<h1>{escape(plain.title)}</h1><p class="lede">{escape(plain.lede)}</p>'
        f'{figure(edition, plain.scene)}<div class="prose">{paragraphs(plain.text)}{_further(edition)}</div>'
    )
    return page(edition, Layout(plain.title, main, plain.lede))


def _further(edition: Edition) -> str:
    """Links to the pages one step below, and the town map on the page about the town."""
    below = [(one.path, one.title) for one in plain_pages() if _parent(one.path) == edition.path]
    if edition.path == "/history/":
        below.append(("/old-harbour/", "Where the harbour used to be"))
    if _parent(MARKS) == edition.path:
        below.append((MARKS, "The flood marks"))
    items = "".join(f"<li>{anchor(edition, path, title)}</li>" for path, title in below)
    plan = f'<figure><img src="{escape(edition.link(_MAP))}" width="800" height="450" alt="Plan of the town"></figure>'
    return (plan if edition.path == "/about/" else "") + (f"<h2>Further</h2><ul>{items}</ul>" if items else "")


def _parent(path: str) -> str:
    return path[: path.rstrip("/").rindex("/") + 1]


def _marks(edition: Edition) -> bytes:
    chance = edition.chance("marks")
    places = ("Church door", "Fish hall", "Ropewalk", "Mill bridge", "School", "Chandlery", "Net Street", "Lamp room")
    rows: list[Sequence[str]] = [
        (f"{number}", chance.pick(places), f"{chance.uniform(4.62, 4.66):.2f} m", chance.pick(("cut", "painted")))
        for number in range(1, 20)
    ]
    main = (
        f"{crumbs(edition)}<h1>The flood marks</h1>"
        f"{table('Height above the zero of the gauge', ('Mark', 'Place', 'Height', 'Kind'), rows)}"
        '<p><a href="../">Back to the survey</a> · <a href="../../">The great flood</a></p>'
    )
    return page(edition, Layout("The flood marks", main))


def _contact(edition: Edition) -> bytes:
    main = (
        f'{crumbs(edition)}<h1>Contact</h1><p class="lede">The harbour office reads all before the noon ferry.</p>'
        f'<form method="post" action="{SENT}">'
        '<label>Your name <input name="name" autocomplete="name" required></label>'
        '<label>About <select name="about"><option>A berth</option><option>The Courier</option>'
        "<option>Lost property</option></select></label>"
        '<label>Message <textarea name="message" rows="6" required></textarea></label>'
        '<button type="submit">Send</button></form>'
    )
    return page(edition, Layout("Contact", main))


def _thanks(edition: Edition) -> bytes:
    back = anchor(edition, "/", "Back to the front page")
    main = f'{crumbs(edition)}<h1>Thank you</h1><p class="lede">Your message is on the next boat.</p><p>{back}</p>'
    return page(edition, Layout("Thank you", main))


def _index(edition: Edition) -> bytes:
    listed = [(one.path, one.title) for one in articles()]
    listed += [(one.path, one.title) for one in plain_pages() if one.path != _UNLINKED]
    items = "".join(
        f"<li>{anchor(edition, path, title)}</li>" for path, title in sorted(listed, key=lambda one: one[1])
    )
    main = f'{crumbs(edition)}<h1>Site index</h1><ul class="columns">{items}</ul>'
    return page(edition, Layout("Site index", main))
