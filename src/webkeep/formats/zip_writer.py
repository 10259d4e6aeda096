"""ZIP files under way, which whoever writes them ends, and no clean-up of memory."""

from __future__ import annotations

import zipfile


class ZipWriter(zipfile.ZipFile):
    """A ZIP file being written; one that was interrupted stays as it is, even if that happened while it was opened.

    The standard library's ends itself when it is cleaned up, writes to a stream that is closed by then, and complains.
    """

    def __del__(self) -> None:
        """End nothing."""
