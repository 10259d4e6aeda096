"""From a plan to what the frontier and the door go by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from webkeep.crawl.login import read_login
from webkeep.crawl.login_pages import NO_LOGOUT, ends_login
from webkeep.crawl.plan import Plan, names_port
from webkeep.crawl.strategies import coherent_strategy
from webkeep.fetch.credentials import Credentials
from webkeep.fetch.settings import DoorSettings
from webkeep.frontier.policy import HostPolicy, Policy
from webkeep.url import Bound, Effect, Extent, Rule, Scope, exclude, include

_WEB = ("http://", "https://")


def policy_of(plan: Plan, taken_down: Mapping[str, str] | None = None) -> Policy:
    """What the frontier goes by; what was taken down is left out, unless a rule names it in full."""
    bounds = [Bound(seed, plan.scope) for seed in plan.named_seeds if seed.startswith(_WEB)]
    return Policy(
        Scope(bounds, list(_rules(plan)), plan.requisites),
        places=tuple(_place(seed, plan.scope) for seed in plan.seeds if not seed.startswith(_WEB)),
        depth=plan.depth,
        external_depth=plan.external_depth,
        max_urls=plan.max_urls,
        max_bytes=plan.max_bytes,
        max_urls_per_host=plan.max_urls_per_host,
        delay=plan.delay,
        connections_per_host=plan.connections_per_host,
        robots=plan.robots,
        sitemaps=reads_sitemaps(plan),
        robots_prefixes=plan.robots_prefixes,
        requisites_exempt=plan.requisites_exempt,
        retries=plan.retries,
        trap_budget=plan.trap_budget,
        hosts={
            name: HostPolicy(host.delay, host.robots, host.connections, host.max_urls)
            for name, host in plan.hosts.items()
        },
        taken_down={url: why for url, why in (taken_down or {}).items() if f"+{url}" not in plan.rules},
    )


def reads_sitemaps(plan: Plan) -> bool:
    """Whether sitemaps are asked for: not where nothing but the seeds is meant, unless their rates are wanted."""
    is_wider = plan.scope is not Extent.PAGE or bool(plan.external_depth)
    is_wider = is_wider or any(rule.effect is Effect.INCLUDE for rule in _rules(plan))
    leads_on = is_wider and plan.depth != 0
    return plan.sitemaps and (leads_on or coherent_strategy(plan.strategy) is not None)


def _place(seed: str, extent: Extent) -> str:
    """How what belongs to an `ftp:` or `file:` seed begins."""
    if extent is Extent.PAGE:
        return seed
    if extent is Extent.PREFIX:
        return seed[: seed.rindex("/") + 1]
    return seed[: seed.index("/", seed.index("://") + 3) + 1]


def _rules(plan: Plan) -> Iterator[Rule]:
    """The rules of the plan, then those of its hosts, which count for more."""
    for text in plan.rules:
        yield include(text[1:]) if text.startswith("+") else exclude(text[1:])
    for name, host in plan.hosts.items():
        there = _on_host(name)
        yield from (include(f"{there} {text}") for text in host.include)
        yield from (exclude(f"{there} {text}") for text in host.exclude)
    if plan.has_credentials and not _asks_for_logout(plan):
        yield NO_LOGOUT


def _asks_for_logout(plan: Plan) -> bool:
    """Whether a rule takes in what ends logins, in so many words."""
    texts = (*plan.rules, *(f"+{text}" for host in plan.hosts.values() for text in host.include))
    return any(text.startswith("+") and ends_login(text) for text in texts)


def _on_host(name: str) -> str:
    """The condition that a URL is of a host, which may be named with its port."""
    if not names_port(name):
        return f"host:{name}"
    host, _, port = name.rpartition(":")
    begin = {"80": f"http://{re.escape(host)}", "443": f"https://{re.escape(host)}"}
    return f"re:^{begin.get(port, f'https?://{re.escape(name)}')}/"


def settings_of(plan: Plan) -> DoorSettings:
    """What the door goes by."""
    headers = {name: host.headers for name, host in plan.hosts.items() if host.headers and not names_port(name)}
    return DoorSettings(
        user_agent=_user_agent(plan),
        connections=plan.connections,
        connections_per_host=max([plan.connections_per_host, *(host.connections or 1 for host in plan.hosts.values())]),
        rate=plan.rate.total,
        rate_per_host=plan.rate.per_host,
        resolve=plan.resolve,
        proxy=plan.proxy,
        cookies=plan.cookies or (read_login(Path(plan.browser_profile)).jar if plan.browser_profile else ""),
        save_cookies=plan.save_cookies,
        credentials={host: Credentials(user, password) for host, user, password in plan.credentials},
        headers={"": plan.headers, **headers} if plan.headers else headers,
        insecure=plan.insecure,
        certificate_authorities=plan.certificate_authorities,
        client_certificate=plan.client_certificate,
        client_key=plan.client_key,
        http2=plan.http2,
        ipv6=plan.ipv6,
    )


def _user_agent(plan: Plan) -> str:
    """Who we say we are, with where to reach the people behind it."""
    if not plan.contact:
        return plan.user_agent
    name = plan.user_agent
    return f"{name[:-1]}; +{plan.contact})" if name.endswith(")") else f"{name} (+{plan.contact})"
