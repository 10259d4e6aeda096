"""Plain text: the addresses (http://, www., ftp://) that a reader would see in it, without the punctuation around
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_guess import MAX_ADDRESS_CHARS

_ADDRESS = re.compile(r"(?:https?://|HTTPS?://|Https?://|ftp://|www\.)[^\s<>\"`{}|\\^\x00-\x20]+")
_BEFORE = re.compile(r"[\w@/.-]")
_TRAILING = ".,;:!?'*_’”»…"
_MAX_TRIMMED_CHARS = 16
"""Brackets and full stops behind an address in running text; what has more was no sentence."""
_PAIRS = {")": "(", "]": "["}


def text_references(text: str, source: str = "text") -> Iterator[LinkReference]:
    """Addresses written out in running text, without the punctuation around them."""
    for match in _ADDRESS.finditer(text):
        start = match.start()
        if start and text[start].lower() == "w" and _BEFORE.match(text, start - 1):
            continue
        address = _trim_punctuation(match[0][: MAX_ADDRESS_CHARS + 1])
        if len(address) <= MAX_ADDRESS_CHARS and len(address) > len("www.x") and not address.endswith("//"):
            whole = f"http://{address}" if address.startswith("www.") else address
            yield LinkReference(whole, LinkRole.NAVIGATE, source, True, start=start, end=start + len(address))


def _trim_punctuation(address: str) -> str:
    for _ in range(_MAX_TRIMMED_CHARS):
        last = address[-1:]
        unpaired = last in _PAIRS and address.count(last) > address.count(_PAIRS[last])
        if last not in _TRAILING and not unpaired:
            break
        address = address[:-1]
    return address
