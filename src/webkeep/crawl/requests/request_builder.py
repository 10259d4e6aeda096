"""From candidates to requests: which Accept headers they have, under which limits of size and time they go, and whether
they may lead into private networks (SSRF).

A public page must not lead the crawler to private addresses. They are open to what a person named (the hosts of seeds
and of `--resolve`), and to what a host leads to that lies at a private address itself.

Whoever owns a name may have it point elsewhere at any time. So a host that once answered from a public address is
public for good: it leads to no private address, and may lie at one only if a person said just that, by `--resolve` or
by naming the address itself. Files of this machine are led to by such files alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from webkeep.crawl.plan.capture_plan import CapturePlan, HostPlan, has_port
from webkeep.crawl.requests.private_hosts import PrivateHosts
from webkeep.crawl.requests.robots_response import MAX_ROBOTS_RESPONSE_BYTES
from webkeep.crawl.requests.secret_urls import SecretUrls
from webkeep.fetch import (
    BeforeNextRequest,
    FetchLimits,
    FetchRequest,
    HeadFilter,
    LocalSite,
    is_private_name,
    is_public,
)
from webkeep.frontier.hosts import host_key_of
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import VisitKind

_ACCEPT = {
    UrlRole.EMBED: "*/*",
    UrlRole.NAVIGATE: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
MAX_ONE_SITEMAP_BYTES = 64 << 20
"""Bytes of a sitemap on its way; by the protocol it has 50 MB."""
_ACCEPT_ENCODING = "gzip, deflate, br, zstd"


class RequestBuilder:
    """Makes requests out of candidates."""

    def __init__(
        self,
        plan: CapturePlan,
        urls: SecretUrls | None = None,
        local: LocalSite | None = None,
        private_hosts: PrivateHosts | None = None,
    ) -> None:
        self._urls = urls
        self._local = local or LocalSite()
        self._limits = FetchLimits(seconds=plan.timeout, size=plan.max_size)
        self._exceptions = dict(_host_limits(plan.hosts, self._limits))
        self._seed_hosts = {host_key_of(seed) for seed in plan.seeds}
        self._allowed_private = {
            host for host in self._seed_hosts if is_private_name(host.rpartition(":")[0].strip("[]"))
        }
        for each in plan.resolve:
            host, port, _ = each.split(":", 2)
            self._allowed_private |= {host_key_of(f"{scheme}://{host.lower()}:{port}/") for scheme in ("http", "https")}
        self._is_public_only = plan.public_only
        self._private_hosts = PrivateHosts() if private_hosts is None else private_hosts
        # The fetcher knows hosts by their names; those named with a port have their headers from here.
        self._host_headers = {
            name: host.headers for name, host in plan.hosts.items() if host.headers and has_port(name)
        }
        self._headers = {
            role: (("Accept", _ACCEPT.get(role, "*/*")), ("Accept-Encoding", _ACCEPT_ENCODING)) for role in UrlRole
        }

    def build(
        self,
        candidate: Candidate,
        via: str,
        turns_away: HeadFilter | None = None,
        led_by: str = "",
        before_more: BeforeNextRequest | None = None,
        conditions: tuple[tuple[str, str], ...] = (),
    ) -> FetchRequest:
        """The request for a candidate that a URL led to; `turns_away` may end it when the head is there.

        A robots.txt has no URL that led to it: `led_by` is what led to its host.
        """
        return FetchRequest(
            candidate.url if self._urls is None else self._urls.restore(candidate.url),
            headers=self._headers[candidate.role] + self._host_headers.get(candidate.host, ()) + conditions,
            via=via,
            visit=VisitKind.REVISIT if candidate.revisit else VisitKind.VISIT,
            private=self._may_be_private(candidate, via or led_by),
            limits=self._limits_for(candidate),
            head_filter=turns_away,
            before_next_request=before_more,
        )

    def _may_be_private(self, candidate: Candidate, via: str) -> bool:
        host = candidate.host
        if self._is_public_only:
            return False
        if host in self._allowed_private:
            return True
        # All files of this machine have one host: that a person named one of them opens none to the web.
        if via and candidate.url.startswith("file:") and not via.startswith("file:"):
            return False
        return not self._private_hosts.is_public(host) and (
            host in self._seed_hosts or self._is_led_from_private(host, via)
        )

    def _is_led_from_private(self, host: str, via: str) -> bool:
        return bool(self._private_hosts) and self._private_hosts.leads_on(host_key_of(via) if via else host)

    def _limits_for(self, candidate: Candidate) -> FetchLimits:
        host, limits = candidate.host, self._limits
        if self._exceptions:
            limits = self._exceptions.get(host) or self._exceptions.get(host.rpartition(":")[0]) or limits
        if candidate.role is UrlRole.SITEMAP:
            return replace(limits, size=min(limits.size, MAX_ONE_SITEMAP_BYTES))
        if candidate.role is UrlRole.ROBOTS:
            return replace(limits, size=max(limits.size, MAX_ROBOTS_RESPONSE_BYTES))
        return limits

    def learn_address(self, candidate: Candidate, address: str, private: bool) -> None:
        """Take note of where a host lies; one that was allowed to be private and is may lead to others."""
        host = candidate.host
        # The site's own machine answers under a public name, and opens nothing else.
        if self._local.server_of(candidate.url) is not None:
            return
        # Where nothing can be private, there is no need to remember every host of the web.
        if not address or self._private_hosts.is_public(host) or not (private or self._private_hosts):
            return
        if is_public(address):
            self._private_hosts.note_public(host)
        elif private:
            self._private_hosts.note_private(host)


def _host_limits(hosts: Mapping[str, HostPlan], limits: FetchLimits) -> list[tuple[str, FetchLimits]]:
    """The limits of hosts that have some of their own."""
    return [
        (
            name,
            FetchLimits(
                seconds=limits.seconds if host.timeout is None else host.timeout,
                size=limits.size if host.max_size is None else host.max_size,
            ),
        )
        for name, host in hosts.items()
        if host.timeout is not None or host.max_size is not None
    ]
