"""Replay servers: how one version is had from an archive that shows pages, as it was recorded where possible."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.memento.web_link import harmless_target
from webkeep.model import CHUNK, Moment
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.client import Client, Reply
from webkeep.recover.repositories.gathering import start_of
from webkeep.recover.repositories.memento_reply import made_of
from webkeep.recover.repositories.uri_m import led_to, moment_in
from webkeep.recover.repository import Answer, Held, Miss, Reason
from webkeep.recover.repository_traits import Traits

_MOST_REDIRECTS = 5
_BLOCKED = (401, 403, 451)
_NO_SUCH = re.compile(rb"not (?:been )?archived|not found|no captures?|has not archived", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Replay:
    """Asks one replay server for versions."""

    client: Client
    manners: Manners
    traits: Traits
    spool: Path
    template: str = ""
    """The address of a version, with `{timestamp}` and `{url}` in it."""
    labels: bool = True
    """Whether the archive says `Memento-Datetime` of what it archived; what comes without is its own page then."""

    def address(self, url: str, moment: Moment) -> str:
        """Where the version of a URL at a moment is to be had."""
        target = harmless_target(url.partition("#")[0])
        return self.template.replace("{timestamp}", moment.digits()).replace("{url}", target)

    async def version(self, held: Held, is_raw: bool = True, listed: bool = True) -> Answer:
        """The version at `held.uri`; the archive's own redirects are followed, archived ones are the answer."""
        uri, requests = held.uri, 0
        seen: set[str] = set()
        while len(seen) < _MOST_REDIRECTS and uri not in seen:
            seen.add(uri)
            reply = await self._got(uri)
            requests += reply.requests
            if isinstance(reply, Miss):
                return replace(reply, requests=requests)
            location = reply.head.headers.get("location")
            if reply.is_memento or not (300 <= reply.status < 400 and location):
                whole = reply if reply.requests == requests else replace(reply, requests=requests)
                return self._judged(whole, held, is_raw, listed)
            uri = led_to(uri, location)
        detail = f"{self.traits.name} redirects in a circle, or too often, from {held.uri[:160]}"
        return Miss(_absence(listed), detail, requests=requests)

    async def _got(self, uri: str) -> Reply | Miss:
        """What is at an address; what broke off on its way is asked for once more."""
        reply = await self.client.get(uri, self.manners)
        if isinstance(reply, Miss) or not reply.cut or reply.is_too_large:
            return reply
        again = await self.client.get(uri, self.manners)
        better = reply if isinstance(again, Miss) or again.cut else again
        return replace(better, requests=reply.requests + again.requests)

    def _judged(self, reply: Reply, held: Held, is_raw: bool, listed: bool) -> Answer:
        name, where = self.traits.name, held.uri[:160]
        if reply.is_memento or (not self.labels and reply.status < 400 and moment_in(reply.url)):
            return made_of(reply, held, self.traits, self.spool, is_raw)
        if reply.status in _BLOCKED:
            detail = f"{name} holds it back: {reply.status} for {where}"
            return Miss(Reason.BLOCKED, detail, requests=reply.requests)
        if reply.status in (404, 410):
            verb = "lists it and does not have it" if listed else "does not hold it"
            return Miss(_absence(listed), f"{name} {verb}: {where}", requests=reply.requests)
        if reply.status == 200:
            detail = f"{name} answers with a page of its own in place of {where}"
            absent = _NO_SUCH.search(start_of(reply.head.headers, reply.exchange.body, CHUNK))
            return Miss(_absence(listed) if absent else Reason.TROUBLE, detail, requests=reply.requests)
        return Miss(Reason.TROUBLE, f"{name} answers {reply.status} for {where}", requests=reply.requests)


def _absence(listed: bool) -> Reason:
    return Reason.ADVERTISED if listed else Reason.NOT_HELD
