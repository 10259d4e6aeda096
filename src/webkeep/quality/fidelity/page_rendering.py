"""A page as a browser showed it: picture, visible text, errors on the console, requests, and what lay over it; out of a
walk that was just made, or out of what a capture kept of one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.browser import StateWalk, resource_url
from webkeep.browser.walk import view_resources
from webkeep.errors import WebkeepError
from webkeep.formats.states import FULL_PAGE_PREFIX, ROOT_STATE, WINDOW_PREFIX, StateNote, rendition_urn
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.views import read_walk

_MAX_RENDITION_BYTES = 64 << 20
"""Of a picture or a text that was kept."""

UrlMap = Callable[[str], str]
"""From the address at which something was asked for to the URL that it stands for; "" where it is none of the page."""


class RenderingSource(enum.StrEnum):
    """Where a page was shown."""

    LIVE = "live"
    KEPT = "kept at capture"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class PageRendering:
    """A page as it was shown once."""

    url: str
    moment: Moment
    """When that was."""
    picture: bytes = field(default=b"", repr=False)
    """A PNG, without what lay over the page."""
    is_full_page: bool = True
    text: str = field(default="", repr=False)
    """What a person could read, without what lay over the page."""
    errors: tuple[str, ...] = ()
    """What its console said."""
    requests: frozenset[str] = frozenset()
    """The resources it asked for as it loaded."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Those that came to nothing, with their status; 0 where no answer came."""
    overlays: tuple[str, ...] = ()
    """What lay over it."""
    is_restless: bool = False
    """Whether something on it changes without being touched."""
    trouble: str = ""
    """Why there is nothing to see; "" where there is."""


def rendering_from_walk(url: str, moment: Moment, walk: StateWalk, archived_url: UrlMap) -> PageRendering:
    """What a walk saw of a page as it loaded."""
    if not walk.views:
        return PageRendering(url, moment, trouble=walk.failure or "it did not load")
    view = walk.views[0]
    return PageRendering(
        url,
        moment,
        view.uncovered or view.screenshot,
        True,
        _leave_out_lines(view.text, (each.text for each in view.overlays)),
        walk.loading.errors,
        frozenset(resource_url(found) for each in view_resources(view) if (found := archived_url(_bare(each)))),
        {
            resource_url(found): each.status
            for each in walk.loading.failures
            if (found := archived_url(each.url.partition("#")[0]))
        },
        tuple(each.label for each in view.overlays),
        bool(walk.volatile or walk.ambient),
    )


def read_kept_rendering(archive: Archive, url: str, moment: Moment, capture: str) -> PageRendering | None:
    """What a capture kept of a page as it loaded; None where it kept no picture of it."""
    root = next((note for note in read_walk(archive, url, moment, capture) if note.id == ROOT_STATE), None)
    if root is None:
        return None
    if root.comment.get("failure"):
        return PageRendering(url, root.moment, trouble=str(root.comment["failure"]))
    full = _read_rendition(archive, f"{FULL_PAGE_PREFIX}{url}", root)
    picture = full or _read_rendition(archive, f"{WINDOW_PREFIX}{url}", root)
    if not picture:
        return None
    overlays = list(_read_overlays(root))
    uncovered = _read_rendition(archive, rendition_urn(url, ROOT_STATE, "uncovered"), root) if overlays else b""
    text = _read_rendition(archive, rendition_urn(url, ROOT_STATE, "text"), root).decode("utf-8", "replace")
    loading = list(_read_loading(root))
    return PageRendering(
        url,
        root.moment,
        uncovered or picture,
        bool(full),
        _leave_out_lines(text, (said for _, said in overlays)),
        tuple(str(text) for each in loading for text in _read_list(each, "errors")),
        frozenset(_bare(each) for each in root.resources),
        dict(_read_failures(loading)),
        tuple(label for label, _ in overlays),
        bool(root.comment.get("volatile") or root.comment.get("ambient")),
    )


def _read_rendition(archive: Archive, urn: str, note: StateNote) -> bytes:
    """What is kept under a name by the walk of a note; nothing where it is not, or cannot be read."""
    found = archive.lookup(urn, note.moment)
    if found is None or found.capture != note.capture:
        return b""
    try:
        return b"".join(archive.read(found).content(_MAX_RENDITION_BYTES))
    except WebkeepError:
        return b""


def _read_overlays(note: StateNote) -> Iterator[tuple[str, str]]:
    for each in _read_list(note.comment, "overlays"):
        match each:
            case [str() as label, str() as text, *_]:
                yield label, text


def _read_loading(note: StateNote) -> Iterator[Mapping[str, Any]]:
    """What happened while the page loaded, and before anything was done to it."""
    for each in _read_list(note.comment, "happenings"):
        if isinstance(each, dict) and not each.get("in") and "event" not in each:
            yield each


def _read_failures(loading: list[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    for happened in loading:
        for each in _read_list(happened, "failures"):
            match each:
                case [str() as url, int() as status, *_]:
                    yield resource_url(url.partition("#")[0]), status


def _read_list(values: Mapping[str, Any], name: str) -> list[Any]:
    """A list of a note; notes of other tools may say anything."""
    found = values.get(name)
    return found if isinstance(found, list) else []


def _leave_out_lines(text: str, overlaid: Iterator[str]) -> str:
    """A text without the lines of what lies over the page."""
    left_out = {" ".join(line.split()) for each in overlaid for line in each.splitlines()}
    return "\n".join(line for line in text.splitlines() if " ".join(line.split()) not in left_out)


def _bare(resource: str) -> str:
    """The address of a resource, without what else tells requests apart."""
    return resource.partition(" ")[0].partition("#")[0]
