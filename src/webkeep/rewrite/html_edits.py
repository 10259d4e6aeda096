"""Edits of pages beyond their links: which attributes are put out of force (integrity, crossorigin, base, security
policies, preconnect), and where something has to stand to be first in the head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# The opening of a page: where its head begins.

_TAG_REST = r"""(?:\s(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+|/)?+>"""
_BEFORE_TAG = r"(?:\s++|<!--(?:-?>|(?:[^-]++|-(?!->))*+-->)|<\?[^>]*+>)*+"
_DOCTYPE = re.compile(rf"{_BEFORE_TAG}(?:<!doctype[^>]*+>)?+", re.IGNORECASE)
_HEAD_TAGS = [re.compile(rf"{_BEFORE_TAG}(<{name}{_TAG_REST})", re.IGNORECASE) for name in ("html", "head")]


def head_position(text: str) -> int:
    """Where something has to stand to be the first thing in a page's head, behind its document type."""
    opening = _DOCTYPE.match(text)
    # Comments alone are no reason to go behind them.
    place = opening.end() if opening and "<!d" in opening[0].lower() else 0
    for pattern in _HEAD_TAGS:
        if (match := pattern.match(text, place)) is not None:
            place = match.end()
    return place


LIFTED_PREFIX = "data-lifted-"
"""What an attribute's name begins with once it has been put out of force; nothing of it is lost."""

MISSING_PREFIX = "data-missing-"
"""What an attribute's name begins with where there is nothing at its address."""

_POLICY_FIELDS = frozenset(
    ("content-security-policy", "content-security-policy-report-only", "x-content-security-policy")
)
_CONNECTION_HINTS = frozenset(("preconnect", "dns-prefetch"))


@dataclass(frozen=True, slots=True)
class HtmlEdits:
    """What is changed on a page beside its links."""

    head: str = ""
    """Markup in ASCII that becomes the first thing in the head, of documents within the page as well."""
    lift_integrity: bool = False
    """Renamed style sheets and scripts no longer have the digests that the page knows."""
    lift_policies: bool = False
    """Content security policies speak of addresses that the page no longer has."""
    lift_connecting: bool = False
    """`preconnect` and `dns-prefetch` reach out for live hosts and bring nothing."""
    lift_crossorigin: bool = False
    """From files, browsers refuse whatever has `crossorigin`."""
    lift_base: bool = False
    """For pages whose new links are relative to themselves."""
    wrap_location: bool = False
    """Scripts in the page see the archived `location`; see `script_wrapper`."""
    wrap_imports: bool = False
    """With that, what scripts import is left to the shim, which is told where they are from."""

    @property
    def lifts_attributes(self) -> bool:
        """Whether attributes have to be looked at for this."""
        return (
            self.lift_integrity or self.lift_policies or self.lift_connecting or self.lift_crossorigin or self.lift_base
        )

    def lifted_attributes(self, name: str, attributes: Mapping[str, str]) -> Iterator[str]:
        """The attributes of an element that are put out of force."""
        if self.lift_integrity and "integrity" in attributes and name in ("script", "link"):
            yield "integrity"
        if self.lift_crossorigin and "crossorigin" in attributes:
            yield "crossorigin"
        if self.lift_base and name == "base" and "href" in attributes:
            yield "href"
        if name == "meta" and self.lift_policies:
            if attributes.get("http-equiv", "").strip().lower() in _POLICY_FIELDS:
                yield "http-equiv"
        elif name == "iframe" and self.lift_policies and "csp" in attributes:
            yield "csp"
        elif name == "link" and self.lift_connecting and "href" in attributes:
            relations = frozenset(attributes.get("rel", "").lower().split())
            if relations and relations <= _CONNECTION_HINTS:
                yield "href"
