"""Content security policies that a page declares itself, in `meta` elements.

On its replay host they become header fields, which count from the start of a page, while an element counts for what
follows it. So only those are taken that come before all that a policy could be about.
"""

from __future__ import annotations

import re

from webkeep.document import html_parts

_LOOKED_AT = 16 * 1024
_MOST = 4
_NAME = "content-security-policy"
_LOADING = re.compile(
    rb"<(?:script|style|link|img|body|iframe|object|embed|svg|video|audio|base)[\s/>]|\sstyle\s*=", re.IGNORECASE
)


def declared_policies(content: bytes) -> list[str]:
    """The policies in the head of a page, in their order."""
    head = content[:_LOOKED_AT]
    if _NAME.encode() not in head.lower():
        return []
    loading = _LOADING.search(head)
    text = head[: loading.start() if loading else None].decode("ascii", "replace")
    found = [dict(attributes) for name, attributes, _, _ in html_parts(text) if name == "meta"]
    return [
        str(values.get("content", "")) for values in found if str(values.get("http-equiv", "")).strip().lower() == _NAME
    ][:_MOST]
