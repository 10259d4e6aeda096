"""Spellings: pages lead to a resource by another spelling than the one it is held under, and no server redirects them;
redirects of our own do, and say so.

Where the lost server answered both, or sent visitors from one to the other, archives often have only one. A redirect
of our own making stands in for the other, and says that it is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from webkeep.model import Exchange, Moment
from webkeep.recover.judging.url_identity import request_spelling
from webkeep.recover.state.recovery_store import RecoveredResource, RecoveryStore

_MADE_BY_FIELD = "Made-By: webkeep; the lost server's response is not held, and another spelling of this URL is"


def build_alias_redirects(recovery_store: RecoveryStore) -> Iterator[Exchange]:
    """Redirects from the spellings that pages use to those that are held."""
    for resource, url in recovery_store.aliases():
        held = _stored_urls(recovery_store, resource)
        chosen = held.get(resource.chosen or 0)
        spelled = request_spelling(url)
        if chosen is None or spelled in {request_spelling(each) for each, _ in held.values()}:
            continue
        yield _redirect_exchange(spelled, *chosen)


def _redirect_exchange(url: str, target: str, moment: Moment) -> Exchange:
    head = f"HTTP/1.1 301 Moved Permanently\r\nLocation: {target}\r\n{_MADE_BY_FIELD}\r\nContent-Length: 0\r\n\r\n"
    return Exchange(url, moment, head.encode("utf-8", "replace"))


def _stored_urls(recovery_store: RecoveryStore, resource: RecoveredResource) -> dict[int, tuple[str, Moment]]:
    """The URL and moment of every version that was kept."""
    found = {}
    for held in recovery_store.held_versions(resource.id):
        if held.facts:
            facts = json.loads(held.facts)
            found[held.id] = (str(facts["url"]), Moment(int(facts["moment"])))
    return found
