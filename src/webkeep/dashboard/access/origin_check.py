"""Whether a form was sent from a page of this service: browsers say from which origin they send.

Beside the token of forms, which a login has not yet. Programs say no origin, and have no cookies to be misused.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

_OWN_SITES = ("same-origin", "none")
"""What browsers say of requests from the same origin, and of those that no page caused."""


def is_from_elsewhere(request: Request) -> bool:
    """Whether a browser says that another site sends this."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in _OWN_SITES:
        return True
    origin = request.headers.get("origin")
    return origin is not None and _place_of(origin) != request.headers.get("host", "").lower()


def _place_of(origin: str) -> str:
    try:
        return urlsplit(origin.lower()).netloc
    except ValueError:
        return ""
