"""From candidates to requests: what is asked for, under which limits, and whether it may lead into private networks.

A public page must not lead the crawler to private addresses. They are open to what a person named (the hosts of seeds
and of `--resolve`), and to what a host leads to that lies at a private address itself.

Whoever owns a name may have it point elsewhere at any time. So a host that once answered from a public address is
public for good: it leads to no private address, and may lie at one only if a person said just that, by `--resolve` or
by naming the address itself. Files of this machine are led to by such files alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from webkeep.crawl.plan import HostPlan, Plan, names_port
from webkeep.crawl.secret_urls import SecretUrls
from webkeep.fetch.addresses import is_public, names_private
from webkeep.fetch.request import BeforeMore, Limits, Request, Turn
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import host_of
from webkeep.model import Visit

_ACCEPT = {
    Role.EMBED: "*/*",
    Role.NAVIGATE: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
_MOST_RULES = 1 << 20
"""Bytes of a robots.txt; only the first half of them is read, by RFC 9309."""
LARGEST_SITEMAP = 64 << 20
"""Bytes of a sitemap on its way; by the protocol it has 50 MB."""
_ENCODINGS = "gzip, deflate, br, zstd"


class Requests:
    """Makes requests out of candidates."""

    def __init__(self, plan: Plan, urls: SecretUrls | None = None) -> None:
        self._urls = urls
        self._limits = Limits(seconds=plan.timeout, size=plan.max_size)
        self._exceptions = dict(_exceptions(plan.hosts, self._limits))
        self._named = {host_of(seed) for seed in plan.seeds}
        self._placed = {host for host in self._named if names_private(host.rpartition(":")[0].strip("[]"))}
        for each in plan.resolve:
            host, port, _ = each.split(":", 2)
            self._placed |= {host_of(f"{scheme}://{host.lower()}:{port}/") for scheme in ("http", "https")}
        self._private: set[str] = set()
        self._public: set[str] = set()
        # The door knows hosts by their names; those named with a port have their headers from here.
        self._own = {name: host.headers for name, host in plan.hosts.items() if host.headers and names_port(name)}
        self._headers = {role: (("Accept", _ACCEPT.get(role, "*/*")), ("Accept-Encoding", _ENCODINGS)) for role in Role}

    def made(
        self,
        candidate: Candidate,
        via: str,
        turns_away: Turn | None = None,
        led_by: str = "",
        before_more: BeforeMore | None = None,
        conditions: tuple[tuple[str, str], ...] = (),
    ) -> Request:
        """The request for a candidate that a URL led to; `turns_away` may end it when the head is there.

        A robots.txt has no URL that led to it: `led_by` is what led to its host.
        """
        return Request(
            candidate.url if self._urls is None else self._urls.restore(candidate.url),
            headers=self._headers[candidate.role] + self._own.get(candidate.host, ()) + conditions,
            via=via,
            visit=Visit.REVISIT if candidate.revisit else Visit.VISIT,
            private=self._may_be_private(candidate, via or led_by),
            limits=self._limits_for(candidate),
            turns_away=turns_away,
            before_more=before_more,
        )

    def _may_be_private(self, candidate: Candidate, via: str) -> bool:
        host = candidate.host
        if host in self._placed:
            return True
        # All files of this machine have one host: that a person named one of them opens none to the web.
        if via and candidate.url.startswith("file:") and not via.startswith("file:"):
            return False
        return host not in self._public and (host in self._named or self._is_within(host, via))

    def _is_within(self, host: str, via: str) -> bool:
        return bool(self._private) and (host_of(via) if via else host) in self._private

    def _limits_for(self, candidate: Candidate) -> Limits:
        host, limits = candidate.host, self._limits
        if self._exceptions:
            limits = self._exceptions.get(host) or self._exceptions.get(host.rpartition(":")[0]) or limits
        if candidate.role is Role.SITEMAP:
            return replace(limits, size=min(limits.size, LARGEST_SITEMAP))
        # Rules that are cut off would allow what they forbid further down.
        return replace(limits, size=max(limits.size, _MOST_RULES)) if candidate.role is Role.ROBOTS else limits

    def learned(self, candidate: Candidate, address: str, private: bool) -> None:
        """Take note of where a host lies; one that was allowed to be private and is may lead to others."""
        host = candidate.host
        # Where nothing can be private, there is no need to remember every host of the web.
        if not address or host in self._public or not (private or self._private):
            return
        if is_public(address):
            self._public.add(host)
            self._private.discard(host)
        elif private:
            self._private.add(host)


def _exceptions(hosts: Mapping[str, HostPlan], limits: Limits) -> list[tuple[str, Limits]]:
    """The limits of hosts that have some of their own."""
    return [
        (
            name,
            Limits(
                seconds=limits.seconds if host.timeout is None else host.timeout,
                size=limits.size if host.max_size is None else host.max_size,
            ),
        )
        for name, host in hosts.items()
        if host.timeout is not None or host.max_size is not None
    ]
