"""The view of a version: a slim banner, and the replayed page in a frame that it cannot get out of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webkeep.coherence.certificate import Summary
from webkeep.formats.state_note import StateNote
from webkeep.memento import Neighbours, Version
from webkeep.model import Moment
from webkeep.url import normal, split
from webkeep.web.frame import document
from webkeep.web.history import view_address
from webkeep.web.home import coherence_words
from webkeep.web.markup import Markup, element
from webkeep.web.numbers import instant, span

_SANDBOX = (
    "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock "
    "allow-top-navigation-by-user-activation"
)


_OPTIONS = re.compile(r"([0-9]{4,14})(c?)(?:w([0-9]{1,5}))?(?:-([0-9a-f]{1,16}))?/")
_DAYS = (None, 1, 7, 30, 365)
_MOST_STATES = 200
_LONGEST = 160
_TAIL = 18
_MINUTES = len("2024-03-01 12:00")


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


def read_view_path(rest: str) -> tuple[str, ViewOptions]:
    """What stands behind `/view/`: the path of a memento, and the options."""
    match = _OPTIONS.match(rest)
    if match is None:
        return rest, ViewOptions()
    digits, clock, days, state = match.groups()
    return f"{digits}/{rest[match.end() :]}", ViewOptions(bool(clock), int(days) if days else None, state or "")


def view_page(
    url: str,
    around: Neighbours,
    place: str,
    certificate: Summary | None,
    options: ViewOptions,
    has_frames: bool = False,
    states: Sequence[StateNote] = (),
) -> bytes:
    """The page; `place` is where the version is replayed.

    A page that is made of frames cannot be in a sandbox, where no frame may change what its neighbour shows.
    """
    sandbox = None if has_frames else _SANDBOX
    moment = around.chosen.moment
    parts_place = f"/parts/{moment.digits()}/{url}"
    coherence = coherence_words(certificate)
    banner = element(
        "div",
        element("a", "webkeep", href="/", title="To the archive"),
        _moment_of(moment),
        _address_of(url),
        element("span", "", class_="told parts wide", data_address=parts_place, id="parts"),
        element("span", coherence, class_="told soft wide", title=coherence),
        element(
            "nav",
            _way("‹", "earlier", around.previous, replace(options, state="")),
            _way("›", "later", around.next, replace(options, state="")),
            *([_states(around.chosen, options, states)] if len(states) > 1 else []),
            _choices(around.chosen, options, url, place, coherence),
            *(element("span", each, class_="wide") for each in _leaving(url, place)),
            aria_label="Versions",
        ),
        class_="banner",
    )
    # The script gives the frame its address, as only there it is known which part of the page is asked for (`#part`).
    asked = {"sandbox": sandbox, "title": f"{url} as it was", "allow": "fullscreen"}
    frame = element("iframe", data_place=place, data_origin=_origin(url), id="page", **asked)
    plain = element("noscript", element("iframe", src=place, **asked))
    return document(f"{url} · {instant(moment)}", banner, frame, plain, script=True, wide=True)


def _moment_of(moment: Moment) -> Markup:
    seconds = element("span", f"{instant(moment)[_MINUTES:]} UTC", class_="word")
    return element("b", instant(moment)[:_MINUTES], seconds, id="moment")


def _origin(url: str) -> str:
    href = normal(url)
    return split(href).origin if href is not None else ""


def _address_of(url: str) -> Markup:
    """The address in two pieces: where room is short the first gives way, and the end can still be read."""
    cut = max(len(url) - _TAIL, 0)
    pieces = element("span", url[:cut]), element("span", url[cut:])
    return element("a", *pieces, href=f"/history/{url}", id="url", title=url, class_="history")


def _leaving(url: str, place: str) -> tuple[Markup, Markup]:
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


def _choices(version: Version, options: ViewOptions, url: str, place: str, coherence: str) -> Markup:
    """What else can be asked of the replay, behind one word; and what a narrow banner has no room for."""
    distances = [
        _choice(version, replace(options, within_days=days), options, f"within {span(days * 86400)}" if days else "any")
        for days in _DAYS
    ]
    clocks = [
        _choice(version, replace(options, set_clock=is_set), options, words)
        for is_set, words in ((False, "today's"), (True, "that day's"))
    ]
    return _panel(
        "options",
        element("p", "Parts: ", *distances),
        element("p", "Clock of scripts: ", *clocks),
        element("p", element("span", class_="parts"), element("span", coherence, class_="soft"), class_="narrow"),
        element("p", element("a", "all versions", href=f"/history/{url}", class_="history"), class_="narrow"),
        element("p", *_leaving(url, place), class_="narrow"),
    )


def _panel(name: str, *content: object, **attributes: object) -> Markup:
    """What floats over the page when its name is pressed; one at a time."""
    return element(
        "details", element("summary", name), element("div", *content, class_="panel"), name="panel", **attributes
    )


def _states(version: Version, options: ViewOptions, states: Sequence[StateNote]) -> Markup:
    """What can be seen of the page after clicks and the like."""
    shown = states[:_MOST_STATES]
    more = len(states) - len(shown)
    return _panel(
        f"{len(states):,} states",
        *(
            element("p", _choice(version, replace(options, state=_mark(each)), options, _caption(each)))
            for each in shown
        ),
        *([element("p", f"and {more:,} more", class_="soft")] if more else []),
        id="states",
    )


def _mark(state: StateNote) -> str:
    return state.id if state.script else ""


def _caption(state: StateNote) -> str:
    """What was done, in words."""
    if not state.script:
        return "as it loads"
    deeds = (f"{deed.event} {deed.label or deed.target}" for deed in state.script)
    return f"after {', then '.join(deeds)}"[:_LONGEST]


def _choice(version: Version, wanted: ViewOptions, present: ViewOptions, words: str) -> Markup:
    current = "true" if wanted == present else None
    return element("a", words, href=_address(version, wanted), aria_current=current)


def _address(version: Version, options: ViewOptions) -> str:
    return view_address(version.url, version.moment, options.mark)


def _way(arrow: str, words: str, version: Version | None, options: ViewOptions) -> Markup:
    """The way to a neighbour: an arrow, and a word for it where there is room and for those who listen."""
    content = element("span", arrow, aria_hidden="true"), element("span", words, class_="word")
    if version is None:
        return element("span", *content, class_=f"way {words} soft", title=f"Nothing {words} is held")
    told = f"{words}: {instant(version.moment)}"
    return element("a", *content, href=_address(version, options), title=told, class_=f"way {words}")
