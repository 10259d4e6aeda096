"""Replay servers: how one version is had from an archive that shows pages, as it was recorded where possible; which
redirects are followed, and which answers mean blocked, not held, or a page of the archive's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.formats.status import BLOCKED_STATUSES, GONE_STATUSES, OK, is_error, is_redirection
from webkeep.memento import escape_target
from webkeep.model import CHUNK_BYTES, Moment
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories.memento_response import unwrap_memento
from webkeep.recover.repositories.repository import ListedVersion, MissReason, RepositoryMiss, VersionResult
from webkeep.recover.repositories.repository_traits import RepositoryTraits
from webkeep.recover.repositories.repository_transport import MAX_REDIRECTS, RepositoryResponse, RepositoryTransport
from webkeep.recover.repositories.spooled_body import content_start
from webkeep.recover.repositories.uri_m import moment_in, resolve_reference

_NOT_ARCHIVED = re.compile(rb"not (?:been )?archived|not found|no captures?|has not archived", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlaybackServer:
    """Asks one replay server for versions."""

    client: RepositoryTransport
    politeness: RepositoryPoliteness
    traits: RepositoryTraits
    spool: Path
    template: str = ""
    """The address of a version, with `{timestamp}` and `{url}` in it."""
    labels: bool = True
    """Whether the archive says `Memento-Datetime` of what it archived; what comes without is its own page then."""

    def memento_url(self, url: str, moment: Moment) -> str:
        """Where the version of a URL at a moment is to be had."""
        target = escape_target(url.partition("#")[0])
        return self.template.replace("{timestamp}", moment.digits()).replace("{url}", target)

    async def fetch_version(self, held: ListedVersion, is_raw: bool = True, listed: bool = True) -> VersionResult:
        """The version at `held.uri`; the archive's own redirects are followed, archived ones are the answer."""
        uri, requests = held.uri, 0
        seen: set[str] = set()
        while len(seen) < MAX_REDIRECTS and uri not in seen:
            seen.add(uri)
            response = await self._get(uri)
            requests += response.requests
            if isinstance(response, RepositoryMiss):
                return replace(response, requests=requests)
            location = response.head.headers.get("location")
            if response.is_memento or not (is_redirection(response.status) and location):
                whole = response if response.requests == requests else replace(response, requests=requests)
                return self._classify(whole, held, is_raw, listed)
            uri = resolve_reference(uri, location)
        detail = f"{self.traits.name} redirects in a circle, or too often, from {held.uri[:160]}"
        return RepositoryMiss(_absence_reason(listed), detail, requests=requests)

    async def _get(self, uri: str) -> RepositoryResponse | RepositoryMiss:
        """What is at an address; what broke off on its way is asked for once more."""
        response = await self.client.get(uri, self.politeness)
        if isinstance(response, RepositoryMiss) or not response.cut or response.is_too_large:
            return response
        again = await self.client.get(uri, self.politeness)
        better = response if isinstance(again, RepositoryMiss) or again.cut else again
        return replace(better, requests=response.requests + again.requests)

    def _classify(self, response: RepositoryResponse, held: ListedVersion, is_raw: bool, listed: bool) -> VersionResult:
        name, where = self.traits.name, held.uri[:160]
        if response.is_memento or (not self.labels and not is_error(response.status) and moment_in(response.url)):
            return unwrap_memento(response, held, self.traits, self.spool, is_raw)
        if response.status in BLOCKED_STATUSES:
            detail = f"{name} holds it back: {response.status} for {where}"
            return RepositoryMiss(MissReason.BLOCKED, detail, requests=response.requests)
        if response.status in GONE_STATUSES:
            verb = "lists it and does not have it" if listed else "does not hold it"
            return RepositoryMiss(_absence_reason(listed), f"{name} {verb}: {where}", requests=response.requests)
        if response.status == OK:
            detail = f"{name} answers with a page of its own in place of {where}"
            absent = _NOT_ARCHIVED.search(content_start(response.head.headers, response.exchange.body, CHUNK_BYTES))
            return RepositoryMiss(
                _absence_reason(listed) if absent else MissReason.TROUBLE, detail, requests=response.requests
            )
        return RepositoryMiss(
            MissReason.TROUBLE, f"{name} answers {response.status} for {where}", requests=response.requests
        )


def _absence_reason(listed: bool) -> MissReason:
    return MissReason.ADVERTISED if listed else MissReason.NOT_HELD
