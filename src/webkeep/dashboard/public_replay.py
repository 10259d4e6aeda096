"""The replay of public collections for everybody: one server of archives beside the service, on names and a port of its
own, of exactly the collections that are public now.

Theory of operation. What archived pages can do is bounded by their host names, and those are none of the service's: on
one's own machine they lie below `localhost` at another port, for others below the name that `--replay-url` gives, which
must share no registrable domain with the service. The server knows the archives that it was started with and nothing
else of the folder. When a collection becomes public, is so no more, or has one archive more, it is ended and another
started; a collection that is public no more is shown no more before whoever changed that is answered.
"""

from __future__ import annotations

import atexit
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webkeep.service.collections import CollectionFacts
from webkeep.service.run import Service
from webkeep.store.folder import is_archive

if TYPE_CHECKING:
    from webkeep.api import ReplayServer
    from webkeep.replay.words import TextHit

_MAX_HITS = 30
"""Pages on one page of results."""


class PublicReplay:
    """The server of public collections, while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: ReplayServer | None = None
        self._shown: tuple[Path, ...] = ()
        self._closes_at_exit = False

    def address(self, service: Service) -> str:
        """Where public collections are shown; empty where they are not: to others it takes `--replay-url`."""
        place = service.settings.place
        if place.is_exposed and not place.replay_url:
            return ""
        with self._lock:
            self._refresh(service)
            return "" if self._server is None else self._server.url.rstrip("/")

    def refresh(self, service: Service) -> None:
        """Show what is public now, where anything is shown."""
        with self._lock:
            if self._server is not None:
                self._refresh(service)

    def _refresh(self, service: Service) -> None:
        wanted = tuple(list_public_archives(service))
        if wanted == self._shown:
            return
        if self._server is not None:
            self._server.close()
            self._server = None
        place = service.settings.place
        if wanted:
            from webkeep.api import serve  # loaded once something is public: a service starts in half the time without

            self._server = serve(
                *wanted, port=place.replay_port, host=place.host, base=place.replay_url, words=True, workers=1
            )
        self._shown = wanted
        if not self._closes_at_exit:
            self._closes_at_exit = True
            atexit.register(self.close)

    def close(self) -> None:
        """End the server."""
        with self._lock:
            server, self._server, self._shown = self._server, None, ()
        if server is not None:
            server.close()


public_replay = PublicReplay()
"""The one of this process."""


def list_public_archives(service: Service) -> list[Path]:
    """The archives of all public collections."""
    public = (facts for facts in service.collections.list_collections() if facts.is_public)
    return [path for facts in public for path in list_archives(service, facts)]


def list_archives(service: Service, facts: CollectionFacts) -> list[Path]:
    """The archives of a collection that are there."""
    folder = service.folder.collection(facts.name)
    return sorted(each for each in folder.glob("archive-*") if is_archive(each)) if folder.is_dir() else []


def search_words(service: Service, facts: CollectionFacts, query: str) -> list[TextHit]:
    """The pages of a collection that have all words of a query, each once, as far as their words were read."""
    from webkeep.replay.words import TextIndex, words_path  # few pages need what is behind it

    seen: dict[str, TextHit] = {}
    for path in list_archives(service, facts):
        for hit in TextIndex(words_path(path)).search(query):
            if urlsplit(hit.url).scheme in ("http", "https"):
                seen.setdefault(hit.url, hit)
    return list(seen.values())[:_MAX_HITS]
