"""From candidates to requests: what is asked for, under which limits, and whether it may lead into private networks.

A public page must not lead the crawler to private addresses. They are open to what a person named (the hosts of seeds
and of `--resolve`), and to what a host leads to that lies at a private address itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from webkeep.crawl.plan import HostPlan, Plan, names_port
from webkeep.fetch.addresses import is_public
from webkeep.fetch.request import Limits, Request, Turn
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import host_of

_ACCEPT = {
    Role.EMBED: "*/*",
    Role.NAVIGATE: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
_ENCODINGS = "gzip, deflate, br, zstd"


class Requests:
    """Makes requests out of candidates."""

    def __init__(self, plan: Plan) -> None:
        self._limits = Limits(seconds=plan.timeout, size=plan.max_size)
        self._exceptions = dict(_exceptions(plan.hosts, self._limits))
        self._named = {host_of(seed) for seed in plan.seeds}
        for each in plan.resolve:
            host, port, _ = each.split(":", 2)
            self._named.add(f"{host.lower()}:{port}")
        self._private: set[str] = set()
        # The door knows hosts by their names; those named with a port have their headers from here.
        self._own = {name: host.headers for name, host in plan.hosts.items() if host.headers and names_port(name)}
        self._headers = {role: (("Accept", _ACCEPT.get(role, "*/*")), ("Accept-Encoding", _ENCODINGS)) for role in Role}

    def made(self, candidate: Candidate, via: str, turns_away: Turn | None = None, led_by: str = "") -> Request:
        """The request for a candidate that a URL led to; `turns_away` may end it when the head is there.

        A robots.txt has no URL that led to it: `led_by` is what led to its host.
        """
        return Request(
            candidate.url,
            headers=self._headers[candidate.role] + self._own.get(candidate.host, ()),
            via=via,
            private=candidate.host in self._named or self._is_within(candidate.host, via or led_by),
            limits=self._limits_for(candidate.host) if self._exceptions else self._limits,
            turns_away=turns_away,
        )

    def _is_within(self, host: str, via: str) -> bool:
        return bool(self._private) and (host_of(via) if via else host) in self._private

    def _limits_for(self, host: str) -> Limits:
        return self._exceptions.get(host) or self._exceptions.get(host.rpartition(":")[0]) or self._limits

    def learned(self, candidate: Candidate, address: str, private: bool) -> None:
        """Take note of where a host lies that was allowed to be private; one that is may lead to others."""
        if private and address and not is_public(address):
            self._private.add(candidate.host)


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
