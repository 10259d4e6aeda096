"""Masks and shapes: pictures that browsers load for style sheets as strictly as data, and so from no file."""

from __future__ import annotations

import re

from webkeep.extract.base import Base
from webkeep.extract.css import style_references

_SIGNS = (b"mask", b"shape-outside")
_DECLARATION = re.compile(r"\b(?:mask(?:-[a-z-]{1,20})?|shape-outside)\s*+:([^;}]*+)", re.IGNORECASE)


def may_have_masks(content: bytes) -> bool:
    """Whether a style sheet or page may have any."""
    return b"url(" in content and any(sign in content for sign in _SIGNS)


def mask_urls(text: str, url: str) -> frozenset[str]:
    """The URLs of pictures that a style sheet, or a page, at a URL uses as masks."""
    base = Base(url)
    found = (each.text for match in _DECLARATION.finditer(text) for each in style_references(match[1]))
    return frozenset(joined.partition("#")[0] for each in found if (joined := base.join(each)) is not None)
