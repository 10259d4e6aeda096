"""What requests of a browser are given on their way out, so that they go by the plan as those of the fast tier do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from webkeep.crawl.plan import Plan
from webkeep.crawl.policies import settings_of
from webkeep.fetch.addresses import authority_of, host_of
from webkeep.fetch.credentials import Credentials, login_for
from webkeep.fetch.recording import ClientHead
from webkeep.fetch.recording.passage import Send
from webkeep.fetch.request import BeforeMore, Limits
from webkeep.fetch.settings import USER_AGENT
from webkeep.frontier.host import host_of as place_of

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Outfit:
    """Who we say we are, and the headers and credentials of hosts."""

    name: str = ""
    """What is said of us."""
    is_all: bool = False
    """Whether nothing else is said: a person wrote it. Else it follows what the browser says of itself."""
    headers: Mapping[str, Fields] = field(default_factory=dict, repr=False)
    """By host, or by host and port; "" for all."""
    credentials: Mapping[str, Credentials] = field(default_factory=dict, repr=False)

    def sent(self, url: str, head: ClientHead, private: bool, limits: Limits, before_more: BeforeMore) -> Send:
        """How a request is sent that a browser made."""
        host = host_of(authority_of(url))
        known = login_for(self.credentials, url)
        return Send(
            private=private,
            headers=self._fields(url, host, head),
            # Streams may be silent for as long as their page lives.
            limits=replace(limits, slowest_rate=0),
            login=(host, known) if known is not None else None,
            before_more=before_more,
        )

    def _fields(self, url: str, host: str, head: ClientHead) -> Fields:
        found: dict[str, tuple[str, str]] = {}
        if self.name and (said := self._said(head.get("user-agent"))):
            found["user-agent"] = ("User-Agent", said)
        for group in ("", host, place_of(url)) if self.headers else ():
            found.update((name.lower(), (name, value)) for name, value in self.headers.get(group, ()))
        return tuple((name, _as_sent(value)) for name, value in found.values())

    def _said(self, said: str) -> str:
        """Who we say we are; browsers do not say it of everything that they do."""
        return self.name if self.is_all else said if said.endswith(self.name) else f"{said} {self.name}".strip()


def _as_sent(value: str) -> str:
    """A value whose letters are bytes, as those of the browser's own fields are."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("latin-1")


def outfit_of(plan: Plan) -> Outfit:
    """What a plan gives the requests of a browser."""
    door = settings_of(plan)
    hosts = {name: host.headers for name, host in plan.hosts.items() if host.headers}
    return Outfit(door.user_agent, plan.user_agent != USER_AGENT, {**hosts, "": plan.headers}, door.credentials)
