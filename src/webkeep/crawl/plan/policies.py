"""From a plan to what frontier and fetcher go by: scope rules with those of hosts and against logouts, when sitemaps
are asked for, which credentials are redacted, and the User-Agent with its contact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.crawl.plan.capture_plan import (
    DEFAULT_DELAY_SECONDS,
    MAX_DELAY_SECONDS,
    CapturePlan,
    has_port,
)
from webkeep.crawl.plan.login_pages import NO_LOGOUT, is_logout
from webkeep.crawl.plan.saved_login import read_login
from webkeep.crawl.plan.site_sources import parse_site_folder
from webkeep.crawl.plan.strategies import coherent_strategy
from webkeep.fetch import Credentials, FetchSettings
from webkeep.frontier.policy import CrawlPolicy, HeldPages, HostPolicy
from webkeep.url.scope import RuleEffect, Scope, ScopeBound, ScopeExtent, UrlRule, exclude_rule, include_rule

if TYPE_CHECKING:
    from webkeep.redaction import Redactor


def redactor_from_plan(plan: CapturePlan) -> Redactor | None:
    """What leaves a plan's credentials out of records; None where everything is recorded as it was."""
    if not plan.redacts:
        return None
    from webkeep.crawl.plan.plan_credentials import build_redactor  # loaded only where there are credentials

    return build_redactor(plan)


_HTTP_PREFIXES = ("http://", "https://")


def policy_from_plan(
    plan: CapturePlan, taken_down: Mapping[str, str] | None = None, held_elsewhere: HeldPages | None = None
) -> CrawlPolicy:
    """What the frontier goes by; what was taken down is left out, unless a rule names it in full."""
    bounds = [ScopeBound(seed, plan.scope) for seed in plan.named_seeds if seed.startswith(_HTTP_PREFIXES)]
    bounds += [ScopeBound(prefix, ScopeExtent.PREFIX) for _, prefix in map(parse_site_folder, plan.files)]
    return CrawlPolicy(
        scope=Scope(bounds, list(_scope_rules(plan)), plan.requisites),
        places=tuple(_file_prefix(seed, plan.scope) for seed in plan.seeds if not seed.startswith(_HTTP_PREFIXES)),
        depth=plan.depth,
        external_depth=plan.external_depth,
        max_urls=plan.max_urls,
        max_bytes=plan.max_bytes,
        max_urls_per_host=plan.max_urls_per_host,
        delay=plan.delay,
        default_delay=DEFAULT_DELAY_SECONDS,
        max_delay=MAX_DELAY_SECONDS,
        connections_per_host=plan.connections_per_host,
        robots=plan.robots,
        sitemaps=reads_sitemaps(plan),
        robots_prefixes=plan.robots_prefixes,
        requisites_exempt=plan.requisites_exempt,
        retries=plan.retries,
        trap_budget=plan.trap_budget,
        follows_seeds=plan.portraits,
        hosts={
            name: HostPolicy(host.delay, host.robots, host.connections, host.max_urls)
            for name, host in plan.hosts.items()
        },
        taken_down={url: why for url, why in (taken_down or {}).items() if f"+{url}" not in plan.rules},
        held_elsewhere=held_elsewhere,
    )


def reads_sitemaps(plan: CapturePlan) -> bool:
    """Whether sitemaps are asked for: not where nothing but the seeds is meant, unless their rates are wanted."""
    is_wider = plan.scope is not ScopeExtent.PAGE or bool(plan.external_depth)
    is_wider = is_wider or any(rule.effect is RuleEffect.INCLUDE for rule in _scope_rules(plan))
    leads_on = is_wider and plan.depth != 0
    return plan.sitemaps and (leads_on or coherent_strategy(plan.strategy) is not None)


def _file_prefix(seed: str, extent: ScopeExtent) -> str:
    """How what belongs to an `ftp:` or `file:` seed begins."""
    if extent is ScopeExtent.PAGE:
        return seed
    if extent is ScopeExtent.PREFIX:
        return seed[: seed.rindex("/") + 1]
    return seed[: seed.index("/", seed.index("://") + 3) + 1]


def _scope_rules(plan: CapturePlan) -> Iterator[UrlRule]:
    """The rules of the plan, then those of its hosts, which count for more."""
    for text in plan.rules:
        yield include_rule(text[1:]) if text.startswith("+") else exclude_rule(text[1:])
    for name, host in plan.hosts.items():
        there = _host_condition(name)
        yield from (include_rule(f"{there} {text}") for text in host.include)
        yield from (exclude_rule(f"{there} {text}") for text in host.exclude)
    if plan.has_credentials and not _includes_logout(plan):
        yield NO_LOGOUT


def _includes_logout(plan: CapturePlan) -> bool:
    """Whether a rule takes in what ends logins, in so many words."""
    texts = (*plan.rules, *(f"+{text}" for host in plan.hosts.values() for text in host.include))
    return any(text.startswith("+") and is_logout(text) for text in texts)


def _host_condition(name: str) -> str:
    """The condition that a URL is of a host, which may be named with its port."""
    if not has_port(name):
        return f"host:{name}"
    host, _, port = name.rpartition(":")
    begin = {"80": f"http://{re.escape(host)}", "443": f"https://{re.escape(host)}"}
    return f"re:^{begin.get(port, f'https?://{re.escape(name)}')}/"


def fetch_settings_from_plan(plan: CapturePlan) -> FetchSettings:
    """What the fetcher goes by."""
    headers = {name: host.headers for name, host in plan.hosts.items() if host.headers and not has_port(name)}
    return FetchSettings(
        user_agent=_user_agent(plan),
        connections=plan.connections,
        connections_per_host=max([plan.connections_per_host, *(host.connections or 1 for host in plan.hosts.values())]),
        rate=plan.rate.total,
        rate_per_host=plan.rate.per_host,
        resolve=plan.resolve,
        proxy=plan.proxy,
        cookies=plan.cookies or (read_login(Path(plan.browser_profile)).cookie_file if plan.browser_profile else ""),
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


def _user_agent(plan: CapturePlan) -> str:
    """Who we say we are, with where to reach the people behind it."""
    if not plan.contact:
        return plan.user_agent
    name = plan.user_agent
    return f"{name[:-1]}; +{plan.contact})" if name.endswith(")") else f"{name} (+{plan.contact})"
