"""libcurl's loop for passing on: transfers wait for their clients."""

from __future__ import annotations

from typing import cast

import pycurl

from webkeep.fetch.guarded_loop import GuardedLoop
from webkeep.fetch.recording.passage import Passage
from webkeep.fetch.recording.passing_handle import PassingHandle


class PassingLoop(GuardedLoop):
    """Runs the transfers of a proxy."""

    def __init__(self, connections: int) -> None:
        super().__init__(connections)
        self._paused: dict[pycurl.Curl, PassingHandle] = {}
        self._begun: list[Passage] = []

    def begun(self, passage: Passage) -> None:
        """Pass a head on that is held back, once libcurl has given all that is at hand."""
        self._begun.append(passage)

    def _take_ended(self) -> None:
        super()._take_ended()
        while self._begun:
            self._begun.pop().flush()

    def pause(self, handle: object, seconds: float) -> None:
        """Have a transfer that paused itself go on after a while."""
        passing = cast("PassingHandle", handle)
        if passing.curl in self._running:
            self._paused[passing.curl] = passing
            super().pause(passing, seconds)

    def _resume(self, curl: pycurl.Curl) -> None:
        self._paused.pop(curl).resumed()
        super()._resume(curl)

    def _release(self, curl: pycurl.Curl) -> None:
        self._paused.pop(curl, None)
        super()._release(curl)
