"""What a walk through the client-side states of a page is told in: interactions, views, transitions, side effects,
limits (`WalkLimits`) and endings; and the size of the window for all pages.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

# The window that all pages are shown in.

VIEWPORT_WIDTH, VIEWPORT_HEIGHT = 1280, 960
"""The window that all pages are shown in, in CSS pixels."""


InteractionScript = tuple["Interaction", ...]
"""Interactions in their order, each from the view that the one before leads to; the first begins at a fresh load."""


class InteractionKind(enum.StrEnum):
    """Why an interaction is tried."""

    LISTENER = "listener"
    """Something on the element's event path listens."""
    NATIVE = "native"
    """The element does something by itself: a `summary`, a link to a fragment where fragments are listened for."""
    CANNED = "canned"
    """A fixed gesture, for pages that tell places apart rather than elements."""
    GIVEN = "given"
    """A person said what to type there."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """Something that a person can do to a page; two that are equal do the same."""

    event: str
    """The type of the event as scripts name it (`click`, `mouseover`), or a gesture: `scroll`, `pan`, `zoom`."""
    target: str
    """CSS selectors that lead to the element, joined by ` >>> ` where the way goes into a frame or a shadow tree."""
    kind: InteractionKind = InteractionKind.LISTENER
    value: str = ""
    """The option that is chosen, the key that is pressed, the text that is typed, the way that is panned."""
    point: tuple[int, int] | None = None
    """Where in the element, in CSS pixels from its upper left corner; the middle where nothing is said."""
    label: str = field(default="", compare=False)
    """What a person would call the element: its text, or its name."""


@dataclass(frozen=True, slots=True, order=True)
class PageRequest:
    """A request that a page makes; equal for the same method, URL and body."""

    method: str
    url: str
    body: str = ""
    """A digest of what was sent, if anything was."""
    role: str = field(default="", compare=False)
    """What it is for, in the words of the debugging protocol: `Image`, `InteractionScript`, `Fetch`, …"""


@dataclass(frozen=True, slots=True)
class WithheldRequest:
    """A request that exploring caused and the tab proxy withheld, as it might have done something at the server."""

    method: str
    url: str
    content_type: str = ""
    body: bytes = b""
    """As much of it as was kept."""


@dataclass(frozen=True, slots=True)
class PageDialog:
    """A window in which a page says or asks something, answered for the person who is not there."""

    kind: str
    """`alert`, `confirm`, `prompt` or `beforeunload`."""
    message: str


@dataclass(frozen=True, slots=True)
class PageDownload:
    """A file that a page wanted to save."""

    url: str
    name: str


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request of a page that came to nothing: an error, or no answer at all."""

    url: str
    status: int = 0
    """0 where no answer came."""
    reason: str = ""
    """In the words of Chromium, where it has any."""


@dataclass(frozen=True, slots=True)
class PageOverlay:
    """Something that lies over a page and is none of it: a consent box, a cookie wall, a newsletter form."""

    label: str
    """What its element is called."""
    text: str
    box: tuple[int, int, int, int]
    """Left, top, width and height in CSS pixels of the window."""


@dataclass(frozen=True, slots=True)
class SideEffects:
    """What an interaction, or the load, brought about besides a view."""

    requests: tuple[PageRequest, ...] = ()
    """In the order they were made, the ones held back among them."""
    withheld: tuple[WithheldRequest, ...] = ()
    dialogs: tuple[PageDialog, ...] = ()
    popups: tuple[str, ...] = ()
    """URLs of windows it opened, which were closed."""
    downloads: tuple[PageDownload, ...] = ()
    departures: tuple[str, ...] = ()
    """URLs it wanted to go to; it was kept from leaving."""
    errors: tuple[str, ...] = ()
    """What the page's console said of errors, but for requests that failed."""
    failures: tuple[FailedRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class PageView:
    """How a page looks to a machine after a script of interactions: told apart from others by its DOM alone."""

    id: int
    """Its number in the walk, in the order of finding; s0 is 0."""
    signature: str
    """A digest of the DOM without the parts that change by themselves."""
    script: InteractionScript
    """The first script found to lead here, as short as any."""
    parent: int | None
    """The view before the script's last interaction."""
    url: str
    """The page's address at this time, which scripts may have changed."""
    title: str
    dom: str
    """The document as HTML: shadow trees as templates that declare them, frames by their URL alone."""
    text: str
    """What a person could read."""
    requested: frozenset[PageRequest]
    """What the load and the script asked for, in sum."""
    referred: frozenset[str]
    """URLs of what the DOM shows: current sources and computed styles."""
    links: tuple[str, ...]
    """Where its links and forms lead, resolved, in document order."""
    interactions: InteractionScript
    """What can be done from here, whether or not it was tried."""
    screenshot: bytes = b""
    """A PNG, if one was asked for."""
    overlays: tuple[PageOverlay, ...] = ()
    """What lies over the page as it loads, where a picture was asked for."""
    uncovered: bytes = b""
    """The picture without these; nothing where there are none."""

    @property
    def depth(self) -> int:
        """How many interactions it is away from s0."""
        return len(self.script)


@dataclass(frozen=True, slots=True)
class ViewTransition:
    """An interaction that was run, from which view to which."""

    source: int
    interaction: Interaction
    target: int
    effects: SideEffects = SideEffects()
    inferred: bool = False
    """Whether it was run in a view with more in it, in places that it does not touch, and not in its source itself."""


class WalkEnding(enum.StrEnum):
    """Why a walk ended."""

    COMPLETE = "complete"
    """Everything that the policy asks for was tried."""
    TIME = "time"
    STATES = "states"
    REQUESTS = "requests"
    UNLOADED = "unloaded"
    """The page did not load; `failure` says why."""


@dataclass(frozen=True, slots=True)
class FieldFilling:
    """What a person wants typed into a field."""

    field: str
    """Its name, id or label."""
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkLimits:
    """How far a walk goes: the policy and the budget of one page; what a person can say is for the plan to say."""

    depth: int
    """0 loads and scrolls, 1 is Max ROI, 2 is Max Coverage; more goes deeper."""
    seconds: float
    """Of wall time."""
    views: int
    requests: int
    """Different ones."""
    screens: int = 30
    """How far an endless page is scrolled."""
    settle_seconds: float = 10.0
    """How long one load or interaction is waited for."""
    events: frozenset[str] = frozenset()
    """Event types beyond the usual ones: `submit`, `unload`."""
    screenshots: bool = False
    full_page: bool = False
    """Whether pictures are of whole pages, and not of what the window shows."""
    fillings: tuple[FieldFilling, ...] = ()
    """What is typed where; nothing is typed otherwise."""


@dataclass(frozen=True, slots=True)
class WalkLevel:
    """What the views at one distance from s0 cost and brought."""

    depth: int
    seconds: float
    steps: int
    """Interactions run, repetitions included."""
    new_requests: int
    """Requests not known before."""


@dataclass(frozen=True, slots=True)
class FatalInteraction:
    """An interaction that a page did not survive."""

    script: InteractionScript
    """What was done, the fatal one last; empty for the load."""
    reason: str


@dataclass(frozen=True, slots=True)
class StateWalk:
    """All that was found out about a page."""

    url: str
    """As it was asked for."""
    views: tuple[PageView, ...]
    """By id; none if the page did not load."""
    transitions: tuple[ViewTransition, ...]
    loading: SideEffects
    """What the load of s0 brought about."""
    ended: WalkEnding
    failure: str = ""
    levels: tuple[WalkLevel, ...] = ()
    loads: int = 0
    """How often the page was loaded."""
    ambient: frozenset[PageRequest] = frozenset()
    """What it asks for without being touched: polling."""
    volatile: frozenset[str] = frozenset()
    """Targets whose content changes without being touched: clocks, carousels."""
    tried: int = 0
    left: int = 0
    """Interactions that were not tried for want of budget, or as their like brought nothing."""
    troubles: tuple[FatalInteraction, ...] = ()
    withheld: frozenset[str] = frozenset()
    """Fields for passwords that a person gave something for; nothing was typed there."""
    unseen: float = 0.0
    """An estimate of how many further requests more gestures on maps and overlays would find."""
