"""What requests of a browser are given on their way out, so that they go by the plan as those of the fast tier do:
User-Agent, header fields of hosts, and credentials (HTTP auth).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.plan.policies import fetch_settings_from_plan
from webkeep.fetch import (
    USER_AGENT,
    BeforeNextRequest,
    Credentials,
    FetchLimits,
    authority_of,
    credentials_for,
    host_of,
)
from webkeep.fetch.proxy import ClientHead, SendUpstream
from webkeep.frontier.hosts import host_key_of as place_of

HeaderFields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RequestIdentity:
    """Who we say we are, and the headers and credentials of hosts."""

    user_agent: str = ""
    """What is said of us."""
    is_whole_user_agent: bool = False
    """Whether nothing else is said: a person wrote it. Else it follows what the browser says of itself."""
    headers: Mapping[str, HeaderFields] = field(default_factory=dict, repr=False)
    """By host, or by host and port; "" for all."""
    credentials: Mapping[str, Credentials] = field(default_factory=dict, repr=False)

    def send_decision(
        self, url: str, head: ClientHead, private: bool, limits: FetchLimits, before_more: BeforeNextRequest
    ) -> SendUpstream:
        """How a request is sent that a browser made."""
        host = host_of(authority_of(url))
        known = credentials_for(self.credentials, url)
        return SendUpstream(
            private=private,
            headers=self._header_fields(url, host, head),
            # Streams may be silent for as long as their page lives.
            limits=replace(limits, min_rate=0),
            login=(host, known) if known is not None else None,
            before_next_request=before_more,
        )

    def _header_fields(self, url: str, host: str, head: ClientHead) -> HeaderFields:
        found: dict[str, tuple[str, str]] = {}
        if self.user_agent and (said := self._user_agent_after(head.get("user-agent"))):
            found["user-agent"] = ("User-Agent", said)
        for group in ("", host, place_of(url)) if self.headers else ():
            found.update((name.lower(), (name, value)) for name, value in self.headers.get(group, ()))
        return tuple((name, _latin1_value(value)) for name, value in found.values())

    def _user_agent_after(self, said: str) -> str:
        """Who we say we are; browsers do not say it of everything that they do."""
        return (
            self.user_agent
            if self.is_whole_user_agent
            else said
            if said.endswith(self.user_agent)
            else f"{said} {self.user_agent}".strip()
        )


def _latin1_value(value: str) -> str:
    """A value whose letters are bytes, as those of the browser's own fields are."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("latin-1")


def identity_from_plan(plan: CapturePlan) -> RequestIdentity:
    """What a plan gives the requests of a browser."""
    fetch_settings = fetch_settings_from_plan(plan)
    hosts = {name: host.headers for name, host in plan.hosts.items() if host.headers}
    return RequestIdentity(
        fetch_settings.user_agent,
        plan.user_agent != USER_AGENT,
        {**hosts, "": plan.headers},
        fetch_settings.credentials,
    )
