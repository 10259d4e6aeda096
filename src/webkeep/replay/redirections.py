"""Archived redirections: where they lead, and what is shown in place of one that would never end."""

from __future__ import annotations

from webkeep.replay.body import Delivery
from webkeep.replay.collection import Found, Wish, holding_of
from webkeep.replay.looking import Looker
from webkeep.url import resolve

REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
"""The statuses that send a browser on."""

_LONGEST_LOCATION = 8 * 1024


def redirects_to(found: Found, delivery: Delivery) -> str | None:
    """The URL that an archived redirection leads to; None where it is none, or leads nowhere."""
    location = delivery.head.headers.get("location")
    if delivery.status not in REDIRECTIONS or not location or len(location) > _LONGEST_LOCATION:
        return None
    return resolve(found.entry.url, location)


def past_redirection(looker: Looker, wish: Wish, found: Found) -> Found | None:
    """The same version, unless it is a redirection to the very URL that is asked for."""
    if found.entry.status not in REDIRECTIONS:
        return found
    target = redirects_to(found, Delivery.of(holding_of(found)))
    if target is None or target.partition("#")[0] != wish.url:
        return found
    return looker.content(wish)
