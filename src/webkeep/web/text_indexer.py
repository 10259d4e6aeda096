"""The process that reads pages for their words while others answer: how often it looks for new ones, and that it stands
back behind those who answer. It ends when its input does.

It is a program of its own (`python -m webkeep.web.text_indexer ARCHIVE…`), so that it takes no time from those that
answer.
"""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

from webkeep.errors import WebkeepError
from webkeep.replay.words import TextIndex
from webkeep.store.archive import Archive

_REINDEX_SECONDS = 30.0
"""How long new records may wait before their words can be searched."""
_NICENESS = 15
"""Whoever answers requests goes first."""


def main() -> None:
    """Read what is new in each archive, again and again."""
    os.nice(_NICENESS)
    paths = [Path(each) for each in sys.argv[1:]]
    while paths := [path for path in paths if _index_archive(path)]:
        if select.select([sys.stdin], [], [], _REINDEX_SECONDS)[0]:
            return


def _index_archive(path: Path) -> bool:
    """Read what is new in an archive; False where that cannot be done."""
    try:
        with Archive(path) as archive:
            TextIndex(archive.layout.reports / "words.sqlite").fill(archive)
    except (WebkeepError, OSError) as error:
        # Without the words, titles and texts are not found; all else goes on.
        sys.stderr.write(f"{path}: pages cannot be read for their words ({error})\n")
        return False
    return True


if __name__ == "__main__":
    main()
