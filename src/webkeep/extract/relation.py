"""Link relations: what a `link` element or a Link field is for."""

from __future__ import annotations

from webkeep.extract.link import Role

_EMBEDDED_WORDS = (
    "stylesheet icon shortcut apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon "
    "fluid-icon image_src preload modulepreload manifest import font fontdef subresource serviceworker "
    "compression-dictionary stylesheet/less stylesheet/css p3pv1 pgml"
)
_EMBEDDED = frozenset(_EMBEDDED_WORDS.split())
_NOT_ASKED_FOR = frozenset(("dns-prefetch", "preconnect", "expect"))
_POSTED_TO = frozenset(("pingback", "webmention", "hub", "micropub", "token_endpoint", "authorization_endpoint"))
_PARTS = frozenset(("script", "style", "image", "font", "audio", "video", "track", "worker", "fetch"))


def relation_role(rel: str, kind: str = "") -> tuple[Role, bool] | None:
    """The role of a link by its relations and whether it is a guess; None where nothing is to be asked for.

    `kind` is what the `as` attribute says.
    """
    names = frozenset(rel.lower().split())
    if names & _EMBEDDED:
        return Role.EMBED, False
    if names and names <= _NOT_ASKED_FOR:
        return None
    if names & {"prefetch", "prerender"} and kind.lower() in _PARTS:
        return Role.EMBED, False
    return Role.NAVIGATE, bool(names & _POSTED_TO)
