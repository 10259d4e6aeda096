"""The plan of a recovery: one frozen value that says what to bring back, out of what, and how."""

from __future__ import annotations

import dataclasses
import enum
import json
from dataclasses import dataclass
from functools import cached_property

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.recover.identity import Identity
from webkeep.recover.repository import Period
from webkeep.recover.worth import Wish
from webkeep.url import Extent, Match, Rule, Scope, exclude, include, registrable_domain, scope_around, split


class Policy(enum.StrEnum):
    """Which URLs are gone for, and whom they are asked of."""

    NAIVE = "naive"
    """What recovered pages lead to, of everyone; nobody is asked for a list."""
    KNOWLEDGEABLE = "knowledgeable"
    """What recovered pages lead to, of everyone who has it by their lists."""
    EXHAUSTIVE = "exhaustive"
    """Everything on anybody's list, of everyone who has it."""
    SPARING = "sparing"
    """Everything on anybody's list, each of the one who has the best of it by the lists."""

    @property
    def lists(self) -> bool:
        """Whether lists are asked for."""
        return self is not Policy.NAIVE

    @property
    def takes_all(self) -> bool:
        """Whether what nothing leads to is gone for as well."""
        return self in (Policy.EXHAUSTIVE, Policy.SPARING)

    @property
    def asks_all(self) -> bool:
        """Whether everyone who may have a version is asked, and the best of what came is kept."""
        return self is not Policy.SPARING


_PASSING = frozenset({"connections", "most", "until_file"})
"""What may be another each time without making it another recovery."""

_MATCHES = {Extent.PREFIX: Match.PREFIX, Extent.HOST: Match.HOST, Extent.DOMAIN: Match.DOMAIN}


@dataclass(frozen=True)
class Plan:
    """Everything a person can say about a recovery."""

    seeds: tuple[str, ...]
    repositories: tuple[str, ...] = ()
    """As they were named."""
    scope: Extent = Extent.PREFIX
    rules: tuple[str, ...] = ()
    """As written, with `+` before what is taken in and `-` before what is left out."""
    requisites: bool = True
    """Whether what a page embeds is taken wherever it lies."""
    policy: Policy = Policy.SPARING
    linked_only: bool = False
    """Whether only what the site's pages lead to is wanted: the site as it was last, without older parts."""
    at: Moment | None = None
    since: Moment | None = None
    until: Moment | None = None
    any_form: bool = False
    """Whether a newer converted copy goes before an older original."""
    ignore_case: bool = False
    lost_slashes: bool = False
    suspicious: bool = True
    """Whether versions that show something else than the page are refused."""
    reach: float = 90.0
    """How many days further away a version of a page may lie, if its parts fit it better."""
    connections: int = 64
    most: int | None = None
    """End after so many resources."""
    until_file: str = ""
    """End when this file is there."""

    def __post_init__(self) -> None:
        if not self.seeds:
            raise UsageError("nothing to recover; name the lost site, such as http://lost-site.example/")
        if self.since is not None and self.until is not None and self.until < self.since:
            raise UsageError(f"the period ends ({self.until}) before it begins ({self.since}); turn the dates round")
        _rules(self.rules)  # raises UsageError for one that fits nothing, before anything is recovered

    @cached_property
    def wish(self) -> Wish:
        """Which versions are wanted."""
        return Wish(self.at, Period(self.since, self.until), self.any_form)

    @cached_property
    def identity(self) -> Identity:
        """How URLs are told apart."""
        return Identity.of(self.ignore_case, self.lost_slashes)

    @cached_property
    def bounds(self) -> Scope:
        """Which URLs belong to the lost site."""
        return scope_around(self.seeds, self.scope, _rules(self.rules), self.requisites)

    @property
    def takes_all(self) -> bool:
        """Whether what nothing leads to is gone for as well."""
        return self.policy.takes_all and not self.linked_only

    def listings(self) -> list[tuple[str, Match]]:
        """What repositories are asked to list; nothing for single pages."""
        match = _MATCHES.get(self.scope)
        if match is None or not self.policy.lists:
            return []
        return list(dict.fromkeys(_listing(seed, match) for seed in self.seeds))

    def text(self) -> str:
        """The plan for the record and for telling one recovery from another."""
        said = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        kept = {name: value for name, value in said.items() if value != _DEFAULTS.get(name)}
        return json.dumps(kept, sort_keys=True, ensure_ascii=False, default=str)

    def is_same_as(self, text: str) -> bool:
        """Whether a plan of that text is for the same recovery, however fast it was to go."""
        mine, other = json.loads(self.text()), json.loads(text)
        return {k: v for k, v in mine.items() if k not in _PASSING} == {
            k: v for k, v in other.items() if k not in _PASSING
        }


def _listing(seed: str, match: Match) -> tuple[str, Match]:
    if match is Match.DOMAIN:
        host = split(seed).host
        return f"http://{registrable_domain(host) or host}/", match
    directory = seed.partition("?")[0].rpartition("/")[0] + "/"
    if directory.count("/") <= 3 and match is Match.PREFIX:
        return directory, Match.HOST  # the root has no key of its own below which all others lie
    return directory, match


def _rules(texts: tuple[str, ...]) -> list[Rule]:
    return [include(text[1:]) if text.startswith("+") else exclude(text[1:]) for text in texts]


_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Plan)}
