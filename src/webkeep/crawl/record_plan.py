"""The plan of a recording: what is recorded, what is left out of records, and what clients may reach."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.fetch.recording import Hook, TunnelRule
from webkeep.fetch.settings import DoorSettings
from webkeep.frontier.policy import RobotsMode
from webkeep.redaction import RedactionRules
from webkeep.url import Effect, Rule, Subject


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """Everything a person can say about a recording."""

    authority: Path
    """Where the certificate authority is kept."""
    host: str = "127.0.0.1"
    port: int = 0
    rules: tuple[Rule, ...] = ()
    """The last that holds decides; where the first of all takes something in, the rest is left out."""
    redaction: RedactionRules = field(default_factory=RedactionRules)
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
    resolve: tuple[str, ...] = ()
    proxy: str = field(default="", repr=False)
    insecure: bool = False
    certificate_authorities: str = ""
    hook: Hook | None = None
    """Asked about every request before the rules are."""

    def door(self) -> DoorSettings:
        """How requests go out."""
        return DoorSettings(
            connections=64,
            resolve=self.resolve,
            proxy=self.proxy,
            insecure=self.insecure,
            certificate_authorities=self.certificate_authorities,
        )

    def opens(self, host: str, port: int) -> bool:
        """Whether clients may go to a host at a private address."""
        return self.private or f"{host.lower()}:{port}" in self.private_hosts

    def wants(self, subject: Subject) -> bool | None:
        """Whether something is recorded; None while its media type or size would have to be known."""
        answer: bool | None = not (self.rules and self.rules[0].effect is Effect.INCLUDE)
        for rule in self.rules:
            held, wanted = rule.holds(subject), rule.effect is Effect.INCLUDE
            if held:
                answer = wanted
            elif held is None and answer is not wanted:
                answer = None
        return answer

    def names(self, url: str) -> bool:
        """Whether a rule takes in this very URL, in full."""
        return any(rule.effect is Effect.INCLUDE and rule.text == url for rule in self.rules)

    def facts(self) -> dict[str, str]:
        """The plan for the record; nothing secret is in it."""
        rules = [("+" if rule.effect is Effect.INCLUDE else "-") + rule.text for rule in self.rules]
        return {
            "rules": json.dumps(rules, ensure_ascii=False),
            "redacts": json.dumps(self.redaction.texts, ensure_ascii=False),
            "robots": str(self.robots),
            "delay": f"{self.delay:g}",
        }


def opened_to(plan: RecordPlan, *places: str) -> RecordPlan:
    """The same plan, with private addresses open at these hosts and ports."""
    return replace(plan, private_hosts=plan.private_hosts | {place.lower() for place in places})
