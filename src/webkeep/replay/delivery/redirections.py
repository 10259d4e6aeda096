"""Archived redirections: where they lead, how long a Location may be, and what is shown in place of one that leads to
itself.
"""

from __future__ import annotations

from webkeep.formats.status import REDIRECT_STATUSES
from webkeep.replay.choice.collection import Memento, MementoQuery, read_memento
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.replay.delivery.archived_message import ArchivedMessage
from webkeep.url import resolve_url

_MAX_LOCATION_CHARS = 8 * 1024
"""No server of its time would have followed a longer one."""


def redirect_target(found: Memento, delivery: ArchivedMessage) -> str | None:
    """The URL that an archived redirection leads to; None where it is none, or leads nowhere."""
    location = delivery.head.headers.get("location")
    if delivery.status not in REDIRECT_STATUSES or not location or len(location) > _MAX_LOCATION_CHARS:
        return None
    return resolve_url(found.entry.url, location)


def skip_self_redirect(lookup: MementoLookup, query: MementoQuery, found: Memento) -> Memento | None:
    """The same version, unless it is a redirection to the very URL that is asked for."""
    if found.entry.status not in REDIRECT_STATUSES:
        return found
    target = redirect_target(found, ArchivedMessage.from_stored(read_memento(found)))
    if target is None or target.partition("#")[0] != query.url:
        return found
    return lookup.nearest_content(query)
