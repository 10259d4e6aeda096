"""What an archive holds of a site, judged by warcio and by the files of the site, not by our own reader."""

from __future__ import annotations

import collections
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator


@dataclass(slots=True)
class Holdings:
    """What was read out of the WARC files."""

    stored: set[str] = field(default_factory=set)
    """The paths whose payload is held just as it was served."""
    records: collections.Counter[str] = field(default_factory=collections.Counter)
    """How many there are of each type of record."""
    wrong_digests: int = 0


def holdings(archive: Path, digests: Mapping[str, str]) -> Holdings:
    """Read every WARC file; `digests` has the SHA-1 of what is served under each path."""
    found = Holdings()
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests=True):
                _note(record, digests, found)
    return found


def _note(record: Any, digests: Mapping[str, str], found: Holdings) -> None:
    found.records[record.rec_type] += 1
    content = record.content_stream().read()
    if record.digest_checker.passed is False:
        found.wrong_digests += 1
    elif record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
        path = urlsplit(record.rec_headers.get_header("WARC-Target-URI")).path
        if hashlib.sha1(content).hexdigest() == digests.get(path):
            found.stored.add(path)
