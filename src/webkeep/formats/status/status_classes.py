"""What kind of answer a status is: the classes of RFC 9110 (2xx to 5xx), and the groups that crawlers tell apart:
redirects, gone, blocked, throttling, transient, and those without a body.

The status of what has none, as a file, is None; it is of no class.
"""

from __future__ import annotations

from webkeep.formats.status.status_codes import NOT_MODIFIED, SWITCHING_PROTOCOLS

BODILESS_STATUSES = frozenset({204, 304})
"""After the head of these nothing follows, whatever its fields say (RFC 9112, section 6.3)."""
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
"""Those whose Location a browser follows by itself; others of the class leave it to the reader, or have none."""
GONE_STATUSES = frozenset({404, 410})
"""The server says that there is no such page."""
BLOCKED_STATUSES = frozenset({401, 403, 451})
"""The server has it, or will not say, and does not show it."""
THROTTLING_STATUSES = frozenset({429, 503})
"""The server asks to be left alone for a while."""
TRANSIENT_STATUSES = frozenset({408, 425, 502, 504})
"""Something between client and answer failed, which may pass."""


def is_interim(status: int | None) -> bool:
    """Whether the answer proper is still to come; after 101 there is none in HTTP."""
    return status is not None and 100 <= status < 200 and status != SWITCHING_PROTOCOLS


def is_successful(status: int | None) -> bool:
    """2xx: the server did as it was asked."""
    return status is not None and 200 <= status < 300


def is_redirection(status: int | None) -> bool:
    """3xx: there is more for the client to do; of a 304, to use what it holds."""
    return status is not None and 300 <= status < 400


def leads_elsewhere(status: int | None) -> bool:
    """3xx but 304: what was asked for is at another address."""
    return status is not None and 300 <= status < 400 and status != NOT_MODIFIED


def is_answered(status: int | None) -> bool:
    """2xx or 3xx: the server shows what was asked for, or leads to it."""
    return status is not None and 200 <= status < 400


def is_error(status: int | None) -> bool:
    """4xx, 5xx and whatever is beyond: not what was asked for."""
    return status is not None and status >= 400


def is_client_error(status: int | None) -> bool:
    """4xx: there is no such thing to be had, or not by this client."""
    return status is not None and 400 <= status < 500


def is_server_error(status: int | None) -> bool:
    """5xx and whatever is beyond: the server failed at what it could have done."""
    return status is not None and status >= 500
