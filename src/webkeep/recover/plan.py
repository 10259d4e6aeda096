"""The plan of a recovery: one frozen value that says what to bring back, out of what, and how. Here are its defaults,
what each policy means, and what makes two plans one recovery, to be gone on with.
"""

from __future__ import annotations

import dataclasses
import enum
import json
from dataclasses import dataclass
from functools import cached_property

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.presentation import format_moment
from webkeep.recover.judging.url_identity import UrlIdentity
from webkeep.recover.judging.version_ranking import VersionPreference
from webkeep.recover.repositories.repository import TimePeriod
from webkeep.url import UrlMatch, registrable_domain, split_url
from webkeep.url.scope import Scope, ScopeExtent, UrlRule, exclude_rule, include_rule, scope_around


class RecoveryPolicy(enum.StrEnum):
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
    def uses_listings(self) -> bool:
        """Whether lists are asked for."""
        return self is not RecoveryPolicy.NAIVE

    @property
    def includes_orphans(self) -> bool:
        """Whether what nothing leads to is gone for as well."""
        return self in (RecoveryPolicy.EXHAUSTIVE, RecoveryPolicy.SPARING)

    @property
    def asks_everyone(self) -> bool:
        """Whether everyone who may have a version is asked, and the best of what came is kept."""
        return self is not RecoveryPolicy.SPARING


_NON_IDENTIFYING_FIELDS = frozenset({"connections", "most", "until_file"})
"""What may be another each time without making it another recovery."""

_MATCH_BY_EXTENT = {
    ScopeExtent.PREFIX: UrlMatch.PREFIX,
    ScopeExtent.HOST: UrlMatch.HOST,
    ScopeExtent.DOMAIN: UrlMatch.DOMAIN,
}


@dataclass(frozen=True)
class RecoveryPlan:
    """Everything a person can say about a recovery."""

    seeds: tuple[str, ...]
    repositories: tuple[str, ...] = ()
    """As they were named."""
    scope: ScopeExtent = ScopeExtent.PREFIX
    rules: tuple[str, ...] = ()
    """As written, with `+` before what is taken in and `-` before what is left out."""
    requisites: bool = True
    """Whether what a page embeds is taken wherever it lies."""
    policy: RecoveryPolicy = RecoveryPolicy.SPARING
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
            raise UsageError(
                f"the period ends ({format_moment(self.until)}) before it begins ({format_moment(self.since)}); "
                "turn the dates round"
            )
        _parse_rules(self.rules)  # raises UsageError for one that fits nothing, before anything is recovered

    @cached_property
    def preference(self) -> VersionPreference:
        """Which versions are wanted."""
        return VersionPreference(self.at, TimePeriod(self.since, self.until), self.any_form)

    @cached_property
    def identity(self) -> UrlIdentity:
        """How URLs are told apart."""
        return UrlIdentity.from_options(self.ignore_case, self.lost_slashes)

    @cached_property
    def url_scope(self) -> Scope:
        """Which URLs belong to the lost site."""
        return scope_around(self.seeds, self.scope, _parse_rules(self.rules), self.requisites)

    @property
    def includes_orphans(self) -> bool:
        """Whether what nothing leads to is gone for as well."""
        return self.policy.includes_orphans and not self.linked_only

    def listing_queries(self) -> list[tuple[str, UrlMatch]]:
        """What repositories are asked to list; nothing for single pages."""
        match = _MATCH_BY_EXTENT.get(self.scope)
        if match is None or not self.policy.uses_listings:
            return []
        return list(dict.fromkeys(_listing_query(seed, match) for seed in self.seeds))

    def to_json(self) -> str:
        """The plan for the record and for telling one recovery from another."""
        said = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        kept = {name: value for name, value in said.items() if value != _DEFAULTS.get(name)}
        return json.dumps(kept, sort_keys=True, ensure_ascii=False, default=str)

    def is_same_as(self, text: str) -> bool:
        """Whether a plan of that text is for the same recovery, however fast it was to go."""
        mine, other = json.loads(self.to_json()), json.loads(text)
        return {k: v for k, v in mine.items() if k not in _NON_IDENTIFYING_FIELDS} == {
            k: v for k, v in other.items() if k not in _NON_IDENTIFYING_FIELDS
        }


def _listing_query(seed: str, match: UrlMatch) -> tuple[str, UrlMatch]:
    if match is UrlMatch.DOMAIN:
        host = split_url(seed).host
        return f"http://{registrable_domain(host) or host}/", match
    directory = seed.partition("?")[0].rpartition("/")[0] + "/"
    if directory.count("/") <= 3 and match is UrlMatch.PREFIX:
        return directory, UrlMatch.HOST  # the root has no key of its own below which all others lie
    return directory, match


def _parse_rules(texts: tuple[str, ...]) -> list[UrlRule]:
    return [include_rule(text[1:]) if text.startswith("+") else exclude_rule(text[1:]) for text in texts]


_DEFAULTS = {field.name: field.default for field in dataclasses.fields(RecoveryPlan)}
