"""What can be measured of a service while it runs: how long ago each of its runners looked, and how much is stored."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from webkeep.model import Clock, Moment
from webkeep.service.run.disk_budget import folder_bytes
from webkeep.service.run.service_folder import ServiceFolder

_STORED_LOOK_SECONDS = 60.0
"""So often the files of all collections are looked through for their sizes, however often somebody asks."""


class ServiceGauges:
    """The gauges of one service."""

    def __init__(self, folder: ServiceFolder, clock: Clock) -> None:
        self._folder, self._clock = folder, clock
        self._looks: dict[str, Moment] = {}
        self._stored: tuple[Moment, int] | None = None

    def note_look(self, runner: str) -> None:
        """A runner has looked after what is its own, and nothing was in its way."""
        self._looks[runner] = self._clock.now()

    def runner_ages_seconds(self) -> Mapping[str, float]:
        """How long ago each runner last looked; a clock that was set back makes none of them younger than now."""
        now = self._clock.now()
        return {runner: max(now.seconds_since(at), 0.0) for runner, at in sorted(self._looks.items())}

    def stored_bytes(self) -> int:
        """How much all collections take, as of a minute ago at most."""
        now = self._clock.now()
        if self._stored is None or abs(now.seconds_since(self._stored[0])) >= _STORED_LOOK_SECONDS:
            self._stored = (now, folder_bytes(self._folder.root / "collections"))
        return self._stored[1]

    def free_bytes(self) -> int:
        """How much of the disk is free."""
        return shutil.disk_usage(self._folder.root).free
