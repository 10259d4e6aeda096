"""A link as it passes between processes, where there are millions: a plain tuple of URL, kind (navigate, embed, sitemap
of an index) and whether it is a guess.
"""

from __future__ import annotations

from webkeep.extract.links.link import LinkRole

FoundLink = tuple[str, int, bool]
"""The URL without fragment, what kind it is, whether it is a guess."""

LINK_KINDS = ((LinkRole.NAVIGATE, ""), (LinkRole.EMBED, ""), (LinkRole.NAVIGATE, "sitemap index"))
"""The kinds of links, by their number."""
EMBED_KIND = 1
"""The number of embedded links among them."""
