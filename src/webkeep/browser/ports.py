"""What a walk is given: its way to the web, a proxy for each tab that holds answers and withholds requests, and someone
who listens.
"""

from __future__ import annotations

from typing import Protocol

from webkeep.browser.walk_model import PageView, ViewTransition, WithheldRequest


class TabNetwork(Protocol):
    """The way of one tab to the web: a proxy that no other tab uses, so that it knows whose requests it carries.

    It holds answers. A request with the method, URL and body of an earlier one is answered from them if it is the n-th
    such request since the path began and an n-th answer is held; so a path walked twice costs the server nothing, while
    polling and what is loaded bit by bit under one URL still reach it. Requests other than GET and HEAD are not sent
    unless the user allows them.
    """

    @property
    def proxy_address(self) -> str:
        """Where the proxy listens, as `host:port`."""
        ...

    @property
    def latency_seconds(self) -> float:
        """How many seconds the web takes to answer, of late; 0.0 where several requests at once would gain nothing."""
        ...

    @property
    def is_idle(self) -> bool:
        """Whether it is known that nothing is under way: the browser is not always told that an answer has ended."""
        ...

    def begin_path(self, url: str) -> None:
        """The page is about to be loaded afresh: occurrences are counted from the beginning."""

    def take_withheld(self) -> tuple[WithheldRequest, ...]:
        """The requests held back since this was last asked."""
        ...


class WalkObserver(Protocol):
    """Someone who is told of a walk while it goes on."""

    def on_view(self, view: PageView) -> None:
        """A view was found."""

    def on_transition(self, transition: ViewTransition) -> None:
        """An interaction was run."""
