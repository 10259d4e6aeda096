"""The view of a version: a slim banner, and the replayed page in a sandboxed frame. Here is decided how options of a
view (clock, distance of parts, state) are written in its address, and what the banner offers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webkeep.coherence.certificates import CertificateSummary
from webkeep.formats.states import StateNote
from webkeep.memento import MementoNeighbours, MementoVersion
from webkeep.model import Moment
from webkeep.presentation import format_count, format_moment
from webkeep.presentation.pages import Markup, element
from webkeep.url import normalize_url, split_url
from webkeep.web.home_page import describe_coherence
from webkeep.web.page_frame import render_document
from webkeep.web.version_calendar import view_url

_SANDBOX = (
    "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock "
    "allow-top-navigation-by-user-activation"
)


_VIEW_OPTIONS = re.compile(r"([0-9]{4,14})(c?)(?:w([0-9]{1,5}))?(?:-([0-9a-f]{1,16}))?/")
_WITHIN_DAYS = (None, 1, 7, 30, 365)
"""How far the parts of a page may lie from its moment, as choices in days; None is any."""
_MAX_STATES_LISTED = 200
"""States of a page in the banner's menu, as long as a person may scroll."""
_MAX_CAPTION_CHARS = 160
"""A caption is a script of clicks of any length."""
_URL_TAIL_CHARS = 18
"""Characters at the end of a URL that stay to be read where the banner is narrow."""
_MINUTE_CHARS = len("2024-03-01 12:00")


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What a reader asks of the replay, written behind the moment in the address of a view: `20240301120000cw7`."""

    set_clock: bool = False
    """Whether the clock and the dice of scripts are set to the moment."""
    within_days: int | None = None
    """How far from the moment the parts of a page may be; None for any distance."""
    state: str = ""
    """The client-side state that is shown; nothing for the page as it loads."""

    @property
    def mark(self) -> str:
        """How the options are written."""
        days = "" if self.within_days is None else f"w{self.within_days}"
        return f"{'c' if self.set_clock else ''}{days}{f'-{self.state}' if self.state else ''}"


def parse_view_path(rest: str) -> tuple[str, ViewOptions]:
    """What stands behind `/view/`: the path of a memento, and the options."""
    match = _VIEW_OPTIONS.match(rest)
    if match is None:
        return rest, ViewOptions()
    digits, clock, days, state = match.groups()
    return f"{digits}/{rest[match.end() :]}", ViewOptions(bool(clock), int(days) if days else None, state or "")


@dataclass(frozen=True, slots=True)
class ShownPage:
    """The page that is shown under a banner."""

    url: str
    place: str
    """Where its version is replayed."""
    certificate: CertificateSummary | None = None
    """That of the capture which it is from."""
    has_frames: bool = False
    """Whether it is made of frames."""
    states: Sequence[StateNote] = ()


def render_banner_page(shown: ShownPage, around: MementoNeighbours, options: ViewOptions) -> bytes:
    """The banner, and the page below it.

    A page that is made of frames cannot be in a sandbox, where no frame may change what its neighbour shows.
    """
    url, place, states = shown.url, shown.place, shown.states
    sandbox = None if shown.has_frames else _SANDBOX
    moment = around.chosen.moment
    parts_place = f"/parts/{moment.digits()}/{url}"
    coherence = describe_coherence(shown.certificate)
    banner = element(
        "div",
        element("a", "webkeep", href="/", title="To the archive"),
        _render_moment(moment),
        _render_url(url),
        element("span", "", class_="told parts wide", data_address=parts_place, id="parts"),
        element("span", coherence, class_="told soft wide", title=coherence),
        element(
            "nav",
            _render_neighbour("‹", "earlier", around.previous, replace(options, state="")),
            _render_neighbour("›", "later", around.next, replace(options, state="")),
            *([_render_states(around.chosen, options, states)] if len(states) > 1 else []),
            _render_options(around.chosen, options, url, place, coherence),
            *(element("span", each, class_="wide") for each in _render_exits(url, place)),
            aria_label="Versions",
        ),
        class_="banner",
    )
    # The script gives the frame its address, as only there it is known which part of the page is asked for (`#part`).
    asked = {"sandbox": sandbox, "title": f"{url} as it was", "allow": "fullscreen"}
    frame = element("iframe", data_place=place, data_origin=_origin_of(url), id="page", **asked)
    plain = element("noscript", element("iframe", src=place, **asked))
    return render_document(f"{url} · {format_moment(moment)}", banner, frame, plain, script=True, wide=True)


def _render_moment(moment: Moment) -> Markup:
    seconds = element("span", f"{format_moment(moment)[_MINUTE_CHARS:]} UTC", class_="word")
    return element("b", format_moment(moment)[:_MINUTE_CHARS], seconds, id="moment")


def _origin_of(url: str) -> str:
    href = normalize_url(url)
    return split_url(href).origin if href is not None else ""


def _render_url(url: str) -> Markup:
    """The address in two pieces: where room is short the first gives way, and the end can still be read."""
    cut = max(len(url) - _URL_TAIL_CHARS, 0)
    pieces = element("span", url[:cut]), element("span", url[cut:])
    return element("a", *pieces, href=f"/history/{url}", id="url", title=url, class_="history")


def _render_exits(url: str, place: str) -> tuple[Markup, Markup]:
    """The ways out: to the live web, and to the page alone."""
    link = element(
        "a",
        "original",
        href=url,
        rel="noreferrer noopener",
        target="_blank",
        title="On the live web",
        class_="original",
    )
    return link, element("a", "without banner", href=place, title="The page alone")


def _render_options(version: MementoVersion, options: ViewOptions, url: str, place: str, coherence: str) -> Markup:
    """What else can be asked of the replay, behind one word; and what a narrow banner has no room for."""
    distances = [
        _render_option(
            version,
            replace(options, within_days=days),
            options,
            f"within {format_count(days, 'day')}" if days else "any",
        )
        for days in _WITHIN_DAYS
    ]
    clocks = [
        _render_option(version, replace(options, set_clock=is_set), options, words)
        for is_set, words in ((False, "today's"), (True, "that day's"))
    ]
    return _render_panel(
        "options",
        element("p", "Parts: ", *distances),
        element("p", "Clock of scripts: ", *clocks),
        element("p", element("span", class_="parts"), element("span", coherence, class_="soft"), class_="narrow"),
        element("p", element("a", "all versions", href=f"/history/{url}", class_="history"), class_="narrow"),
        element("p", *_render_exits(url, place), class_="narrow"),
    )


def _render_panel(name: str, *content: object, **attributes: object) -> Markup:
    """What floats over the page when its name is pressed; one at a time."""
    return element(
        "details", element("summary", name), element("div", *content, class_="panel"), name="panel", **attributes
    )


def _render_states(version: MementoVersion, options: ViewOptions, states: Sequence[StateNote]) -> Markup:
    """What can be seen of the page after clicks and the like."""
    shown = states[:_MAX_STATES_LISTED]
    more = len(states) - len(shown)
    return _render_panel(
        f"{len(states):,} states",
        *(
            element(
                "p", _render_option(version, replace(options, state=_state_mark(each)), options, _state_caption(each))
            )
            for each in shown
        ),
        *([element("p", f"and {more:,} more", class_="soft")] if more else []),
        id="states",
    )


def _state_mark(state: StateNote) -> str:
    return state.id if state.script else ""


def _state_caption(state: StateNote) -> str:
    """What was done, in words."""
    if not state.script:
        return "as it loads"
    deeds = (f"{action.event} {action.label or action.target}" for action in state.script)
    return f"after {', then '.join(deeds)}"[:_MAX_CAPTION_CHARS]


def _render_option(version: MementoVersion, wanted: ViewOptions, present: ViewOptions, words: str) -> Markup:
    current = "true" if wanted == present else None
    return element("a", words, href=_option_url(version, wanted), aria_current=current)


def _option_url(version: MementoVersion, options: ViewOptions) -> str:
    return view_url(version.url, version.moment, options.mark)


def _render_neighbour(arrow: str, words: str, version: MementoVersion | None, options: ViewOptions) -> Markup:
    """The way to a neighbour: an arrow, and a word for it where there is room and for those who listen."""
    content = element("span", arrow, aria_hidden="true"), element("span", words, class_="word")
    if version is None:
        return element("span", *content, class_=f"way {words} soft", title=f"Nothing {words} is held")
    told = f"{words}: {format_moment(version.moment)}"
    return element("a", *content, href=_option_url(version, options), title=told, class_=f"way {words}")
