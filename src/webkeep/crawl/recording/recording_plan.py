"""The plan of a recording: where the proxy listens if nobody says, how rules decide what is recorded and what is left
out, and which private addresses clients may reach.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.fetch import FetchSettings
from webkeep.fetch.proxy import RequestHook, TunnelRule
from webkeep.frontier.policy import RobotsMode
from webkeep.redaction import RedactionRules
from webkeep.url.scope import RuleEffect, RuleSubject, UrlRule


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """Everything a person can say about a recording."""

    authority: Path
    """Where the certificate authority is kept."""
    host: str = "127.0.0.1"
    port: int = 8090
    """0 for any that is free."""
    rules: tuple[UrlRule, ...] = ()
    """The last that holds decides; where the first of all takes something in, the rest is left out."""
    redaction: RedactionRules = field(default_factory=RedactionRules)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that are left out wherever they are found, such as those of a login."""
    private: bool = False
    """Whether clients may go to any private address."""
    private_hosts: frozenset[str] = frozenset()
    """As `host:port`: where they may go all the same."""
    best_effort: bool = False
    """Whether clients are served even where nothing can be recorded."""
    tunnels: TunnelRule = TunnelRule.REFUSE
    robots: RobotsMode = RobotsMode.IGNORE
    """A person who looks at a page is no robot; a program may be."""
    delay: float = 0.0
    """Seconds between two requests to one host."""
    connections: int = 64
    """Requests of clients under way at a time."""
    resolve: tuple[str, ...] = ()
    proxy: str = field(default="", repr=False)
    insecure: bool = False
    certificate_authorities: str = ""
    hook: RequestHook | None = None
    """Asked about every request before the rules are."""

    def fetch_settings(self) -> FetchSettings:
        """How requests go out."""
        return FetchSettings(
            connections=self.connections,
            connections_per_host=self.connections,
            resolve=self.resolve,
            proxy=self.proxy,
            insecure=self.insecure,
            certificate_authorities=self.certificate_authorities,
        )

    def may_reach_private(self, host: str, port: int) -> bool:
        """Whether clients may go to a host at a private address."""
        return self.private or f"{host.lower()}:{port}" in self.private_hosts

    def is_recorded(self, subject: RuleSubject) -> bool | None:
        """Whether something is recorded; None while its media type or size would have to be known."""
        answer: bool | None = not (self.rules and self.rules[0].effect is RuleEffect.INCLUDE)
        for rule in self.rules:
            held, wanted = rule.holds(subject), rule.effect is RuleEffect.INCLUDE
            if held:
                answer = wanted
            elif held is None and answer is not wanted:
                answer = None
        return answer

    def has_rule_for(self, url: str) -> bool:
        """Whether a rule takes in this very URL, in full."""
        return any(rule.effect is RuleEffect.INCLUDE and rule.text == url for rule in self.rules)

    def facts(self) -> dict[str, str]:
        """The plan for the record; nothing secret is in it."""
        rules = [("+" if rule.effect is RuleEffect.INCLUDE else "-") + rule.text for rule in self.rules]
        return {
            "rules": json.dumps(rules, ensure_ascii=False),
            "redacts": json.dumps(self.redaction.rule_texts, ensure_ascii=False),
            "robots": str(self.robots),
            "delay": f"{self.delay:g}",
        }


def open_private_hosts(plan: RecordingPlan, *places: str) -> RecordingPlan:
    """The same plan, with private addresses open at these hosts and ports."""
    return replace(plan, private_hosts=plan.private_hosts | {place.lower() for place in places})
