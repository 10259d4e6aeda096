"""Files of this machine, read by `file:` URLs: regular files up to the size limit and lists of directories, but no
pipes or devices.

libcurl could do that, but it would wait for a named pipe on the loop that everything else runs on.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes, urlsplit

from webkeep.fetch.client.file_resource import describe_directory, describe_file
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.request import FetchFailure, FetchRequest, FileResource
from webkeep.model import CHUNK_BYTES, Clock


class FileReader:
    """Reads one file or the names in one directory; to be called in a thread."""

    def __init__(self, request: FetchRequest, spool: Path, clock: Clock) -> None:
        self._request = request
        self._sink = SpoolSink(spool)
        self._clock = clock
        self._moment = clock.now()

    def read(self, served: Path | None = None) -> tuple[FileResource | None, FetchFailure | None, str]:
        """What is there; or why it is not given, in words too.

        The URL is that of the file itself, or one at which a file is `served`.
        """
        parts = urlsplit(self._request.url)
        path = unquote_to_bytes(parts.path) if served is None else os.fsencode(served.absolute())
        is_named = served is not None or parts.netloc in ("", "localhost")
        if not is_named or not path.startswith(b"/") or b"\0" in path:
            return None, FetchFailure.SCHEME, "not the URL of a file on this machine"
        try:
            found = Path(os.fsdecode(path)).stat()
            if stat.S_ISDIR(found.st_mode):
                return self._list_directory(path, found.st_mtime), None, ""
            if not stat.S_ISREG(found.st_mode):
                return None, FetchFailure.DENIED, "neither a file nor a directory"
            return self._read_file(path, found.st_mtime)
        except FileNotFoundError:
            return None, FetchFailure.MISSING, "there is no such file"
        except OSError as error:
            return None, FetchFailure.DENIED, error.strerror or "it cannot be read"

    def _read_file(self, path: bytes, modified: float) -> tuple[FileResource, FetchFailure | None, str]:
        limit, failure = self._request.limits.size, None
        with Path(os.fsdecode(path)).open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                room = limit - self._sink.size if limit else len(chunk)
                self._sink.write(chunk[:room])
                if len(chunk) > room:
                    failure = FetchFailure.TOO_LARGE
                    break
        truncated = failure.truncation if failure else ""
        name, body = quote(path.rpartition(b"/")[2]), self._sink.take_body()
        found = describe_file(name, self._moment, body, modified, truncated=truncated)
        return replace(found, url=self._request.url), failure, f"more than {limit} bytes" if failure else ""

    def _list_directory(self, path: bytes, modified: float) -> FileResource:
        with os.scandir(path) as entries:
            names = sorted(entry.name + b"/" if entry.is_dir() else entry.name for entry in entries)
        url = self._request.url.rstrip("/") + "/"
        for name in names:
            self._sink.write(name.replace(b"\n", b"?") + b"\n")
        inside = tuple(url + quote(name) for name in names)
        return describe_directory(url, self._moment, self._sink.take_body(), modified, inside)
