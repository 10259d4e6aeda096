"""Small pictures of the pages that a browser runs, for somebody who watches the capture: the newest few, in the folder
of its job, and none while nobody watches.

Who watches says so again and again by touching a file; a capture that is watched by nobody pays nothing for it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from webkeep.crawl.run.capture_tally import CaptureTally
from webkeep.process import write_atomically

_WATCHED_FILE = "watched"
_WATCHED_SECONDS = 15.0
"""So long somebody is taken to watch who did not say so again."""
_MAX_PICTURES = 24
"""That lie there: one row of them is shown, by pages that were told of them a little while ago."""
_PICTURE_FILE = "picture-{number:08d}.jpg"
_PICTURE_FILES = "picture-*.jpg"


class LivePictures:
    """Where pictures of one capture lie, and whether anybody wants them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = 0

    def ask_for_pictures(self) -> None:
        """Say that somebody watches now; a capture that has just ended has nothing to be told."""
        with suppress(OSError):
            (self._folder / _WATCHED_FILE).touch()

    @property
    def are_wanted(self) -> bool:
        """Whether somebody watches."""
        try:
            seen = (self._folder / _WATCHED_FILE).stat().st_mtime
        except OSError:
            return False
        return abs(time.time() - seen) < _WATCHED_SECONDS

    def keep(self, url: str, picture: bytes, tally: CaptureTally) -> None:
        """Keep the picture of a page, in place of the oldest; a full disk is no reason to end a capture here."""
        self._last += 1
        with suppress(OSError):
            write_atomically(self.path_of(self._last), picture)
            for path in sorted(self._folder.glob(_PICTURE_FILES))[:-_MAX_PICTURES]:
                path.unlink(missing_ok=True)
            tally.note_picture(self._last, url)

    def path_of(self, number: int) -> Path:
        """Where a picture lies."""
        return self._folder / _PICTURE_FILE.format(number=number)
