"""Edits of pages beyond their links: what is lifted off tags, and what is put into the head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LIFTED = "data-lifted-"
"""What an attribute's name begins with once it has been put out of force; nothing of it is lost."""

MISSING = "data-missing-"
"""What an attribute's name begins with where there is nothing at its address."""

_POLICIES = frozenset(("content-security-policy", "content-security-policy-report-only", "x-content-security-policy"))
_CONNECTING = frozenset(("preconnect", "dns-prefetch"))


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
    """Scripts in the page see the archived `location`; see `wrapping`."""
    wrap_imports: bool = False
    """With that, what scripts import is left to the shim, which is told where they are from."""

    @property
    def lifts(self) -> bool:
        """Whether attributes have to be looked at for this."""
        return (
            self.lift_integrity or self.lift_policies or self.lift_connecting or self.lift_crossorigin or self.lift_base
        )

    def lifted(self, name: str, attributes: Mapping[str, str]) -> Iterator[str]:
        """The attributes of an element that are put out of force."""
        if self.lift_integrity and "integrity" in attributes and name in ("script", "link"):
            yield "integrity"
        if self.lift_crossorigin and "crossorigin" in attributes:
            yield "crossorigin"
        if self.lift_base and name == "base" and "href" in attributes:
            yield "href"
        if name == "meta" and self.lift_policies:
            if attributes.get("http-equiv", "").strip().lower() in _POLICIES:
                yield "http-equiv"
        elif name == "iframe" and self.lift_policies and "csp" in attributes:
            yield "csp"
        elif name == "link" and self.lift_connecting and "href" in attributes:
            relations = frozenset(attributes.get("rel", "").lower().split())
            if relations and relations <= _CONNECTING:
                yield "href"
