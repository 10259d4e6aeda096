"""URI-Ms as most archives write them: digits for the moment, a mark for the form, and the URL as it stands; what is
read out of one, and how the address of its raw bytes is made.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin

from webkeep.errors import UsageError
from webkeep.model import Moment

_URI_M = re.compile(r"(.*?/)([0-9]{4,14})([a-z]{2}_)?/((?:https?|ftp):/{0,2}.*)", re.DOTALL | re.IGNORECASE)


def raw_uri(uri: str) -> str | None:
    """The address of the bytes as they were recorded; None where the URI-M is written otherwise."""
    match = _URI_M.fullmatch(uri)
    return None if match is None else f"{match[1]}{match[2]}id_/{match[4]}"


def moment_in(uri: str) -> Moment | None:
    """The moment in a URI-M; None where it has none."""
    match = _URI_M.fullmatch(uri)
    return None if match is None else parse_timestamp(match[2])


def url_in(uri: str) -> str:
    """The URL of the page in a URI-M; "" where it has none."""
    match = _URI_M.fullmatch(uri)
    return "" if match is None else match[4]


@lru_cache(1 << 14)
def parse_timestamp(digits: str) -> Moment | None:
    """The moment that up to 14 digits name; None where there is no such day or time, or the text is something else."""
    text = digits.strip()[:14]
    if not (text.isascii() and text.isdigit() and len(text) >= 4):
        return None
    try:
        return Moment.parse(text)
    except UsageError:
        return None


def resolve_reference(address: str, reference: str) -> str:
    """Where a reference in an archive's answer leads, the URL within it as it stands; "" where it leads nowhere."""
    try:
        return urljoin(address, reference)
    except ValueError:
        return ""
