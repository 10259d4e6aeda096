"""Servers that show archives beside the service: archived content is never on the service's own host name and port."""

from __future__ import annotations

import atexit
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.errors import UsageError
from webkeep.store.folder import is_archive

if TYPE_CHECKING:
    from webkeep.api import ReplayServer

_MAX_SERVERS = 4
"""Archives that are shown at a time; the one that was asked for longest ago makes room."""


class ReplayServers:
    """One server for each archive that somebody looks at."""

    def __init__(self) -> None:
        self._open: OrderedDict[Path, ReplayServer] = OrderedDict()
        self._lock = threading.Lock()

    def address_of(self, archive: Path) -> str:
        """Where an archive is shown; its server is started where there is none."""
        from webkeep.api import serve  # loaded once somebody looks: a service starts in half the time without

        if not is_archive(archive):
            raise UsageError("nothing of it is in an archive yet; wait until it is done")
        with self._lock:
            if not self._open:
                atexit.register(self.close)
            if archive not in self._open:
                self._open[archive] = serve(archive, port=0, words=False, workers=1)
            self._open.move_to_end(archive)
            while len(self._open) > _MAX_SERVERS:
                self._open.popitem(last=False)[1].close()
            return self._open[archive].url

    def close(self) -> None:
        """End all of them."""
        while self._open:
            self._open.popitem()[1].close()
