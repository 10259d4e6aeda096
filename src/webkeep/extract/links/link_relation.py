"""Link relations (rel): what a `link` element or a Link field is for: which relations are embedded (stylesheet, icon,
preload), which are guesses (pingback), and which ask for nothing (preconnect).
"""

from __future__ import annotations

from webkeep.extract.links.link import LinkRole

_EMBEDDED_WORDS = (
    "stylesheet icon shortcut apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon "
    "fluid-icon image_src preload modulepreload manifest import font fontdef subresource serviceworker "
    "compression-dictionary stylesheet/less stylesheet/css p3pv1 pgml"
)
_EMBEDDED_RELATIONS = frozenset(_EMBEDDED_WORDS.split())
_CONNECTION_HINTS = frozenset(("dns-prefetch", "preconnect", "expect"))
_ENDPOINT_RELATIONS = frozenset(
    ("pingback", "webmention", "hub", "micropub", "token_endpoint", "authorization_endpoint")
)
_EMBEDDED_DESTINATIONS = frozenset(("script", "style", "image", "font", "audio", "video", "track", "worker", "fetch"))


def relation_role(rel: str, kind: str = "") -> tuple[LinkRole, bool] | None:
    """The role of a link by its relations and whether it is a guess; None where nothing is to be asked for.

    `kind` is what the `as` attribute says.
    """
    names = frozenset(rel.lower().split())
    if names & _EMBEDDED_RELATIONS:
        return LinkRole.EMBED, False
    if names and names <= _CONNECTION_HINTS:
        return None
    if names & {"prefetch", "prerender"} and kind.lower() in _EMBEDDED_DESTINATIONS:
        return LinkRole.EMBED, False
    return LinkRole.NAVIGATE, bool(names & _ENDPOINT_RELATIONS)
