"""The page for what cannot be shown: how the nearest versions, pages of the same host and other archives are listed,
and the command that would capture it now.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from webkeep.presentation import format_duration, format_moment
from webkeep.presentation.pages import Markup, element
from webkeep.replay.endpoints import MissingMemento
from webkeep.web.page_frame import render_document
from webkeep.web.version_calendar import view_url


def render_missing_page(missing: MissingMemento, root: str, archive: str, elsewhere: Sequence[str]) -> bytes:
    """The page; `root` is where the control pages are: it may be on a replay host."""
    absence = missing.absence
    return render_document(
        absence.title,
        element("h1", absence.title),
        element("p", element("b", missing.url, class_="address")),
        element("p", absence.why) if absence.why else None,
        _render_nearest(missing, root),
        _render_siblings(missing, root),
        _render_elsewhere(missing, elsewhere),
        _render_capture_advice(missing.url, archive) if absence.may_be_captured else None,
        query=missing.url,
        root=root,
    )


def _render_capture_advice(url: str, archive: str) -> Markup:
    command = element("pre", f"webkeep capture {shlex.quote(url)} --into {shlex.quote(archive)}")
    return element("div", element("h2", "Capture it now"), command)


def _render_nearest(missing: MissingMemento, root: str) -> Markup | None:
    if not missing.nearest:
        return None
    items = []
    for version in missing.nearest:
        away = ""
        if missing.moment is not None:
            seconds = max(abs(version.moment.seconds_since(missing.moment)), 1)
            away = f" · {format_duration(seconds)} away"
        link = element(
            "a",
            f"{format_moment(version.moment)} UTC",
            href=root + view_url(version.url, version.moment),
            target="_top",
        )
        items.append(element("li", link, element("span", away, class_="soft")))
    return element("div", element("h2", "Nearest versions"), element("ul", *items))


def _render_siblings(missing: MissingMemento, root: str) -> Markup | None:
    if not missing.siblings:
        return None
    items = [element("li", element("a", url, href=f"{root}/history/{url}", target="_top")) for url in missing.siblings]
    return element("div", element("h2", "Of the same host"), element("ul", *items))


def _render_elsewhere(missing: MissingMemento, elsewhere: Sequence[str]) -> Markup | None:
    if not elsewhere:
        return None
    stamp = f"{missing.moment.digits()}/" if missing.moment else ""
    items = [
        element("li", element("a", address, href=address, rel="noreferrer", target="_top"))
        for address in [f"{place}{stamp}{missing.url}" for place in elsewhere]
    ]
    return element("div", element("h2", "Other archives"), element("ul", *items))
