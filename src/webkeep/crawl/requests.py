"""From candidates to requests: what is asked for, under which limits, and whether it may lead into private networks.

A public page must not lead the crawler to private addresses. They are open to what a person named (the hosts of seeds
and of `--resolve`), and to what such a host leads to.
"""

from __future__ import annotations

from webkeep.crawl.plan import Plan
from webkeep.fetch.addresses import is_public
from webkeep.fetch.request import Limits, Request
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import host_and_origin

_ACCEPT = {
    Role.EMBED: "*/*",
    Role.NAVIGATE: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
_ENCODINGS = "gzip, deflate, br, zstd"


class Requests:
    """Makes requests out of candidates."""

    def __init__(self, plan: Plan) -> None:
        self._limits = Limits(seconds=plan.timeout, size=plan.max_size)
        self._private = {host_and_origin(seed)[0] for seed in plan.seeds}
        for each in plan.resolve:
            host, port, _ = each.split(":", 2)
            self._private.add(f"{host.lower()}:{port}")
        self._headers = {role: (("Accept", _ACCEPT.get(role, "*/*")), ("Accept-Encoding", _ENCODINGS)) for role in Role}

    def made(self, candidate: Candidate, via: str) -> Request:
        """The request for a candidate that a URL led to."""
        return Request(
            candidate.url,
            headers=self._headers[candidate.role],
            via=via,
            private=candidate.host in self._private or (bool(via) and host_and_origin(via)[0] in self._private),
            limits=self._limits,
        )

    def learned(self, candidate: Candidate, address: str, private: bool) -> None:
        """Take note of where a host lies; one that a private host led to, and that is private, may lead on."""
        if private and address and not is_public(address):
            self._private.add(candidate.host)
