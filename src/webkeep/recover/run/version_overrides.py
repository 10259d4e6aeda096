"""Choices of a person, who knows better: which version of which URL is to be taken (`--choose`), how that is written,
and what is said where no version is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.sources.declarations import RepositoryDeclaration, find_by_name
from webkeep.recover.state.recovery_store import HeldVersion, RecoveryStore

_CHOICE_SYNTAX = "write it as URL=MOMENT or URL=MOMENT@REPOSITORY, such as http://lost.example/=2009-03-14@wayback"


def parse_choice(text: str) -> tuple[str, Moment, str]:
    """A choice as a person writes it: the URL, the moment, and the repository if one is named."""
    url, equals, rest = text.strip().rpartition("=")
    moment, _, repository = rest.partition("@")
    if not equals or not url or not moment:
        raise UsageError(f"not a choice: {text[:200]!r}; {_CHOICE_SYNTAX}")
    return url, Moment.parse(moment), repository


def resolve_choice_repository(text: str, declarations: Mapping[str, RepositoryDeclaration]) -> str:
    """The same choice, its repository by the name that the recovery store has: `ia` is `internet-archive` there."""
    choice, at, repository = text.rpartition("@")
    found = find_by_name(repository, declarations) if at else None
    return text if found is None else f"{choice}@{found.name}"


def apply_choices(recovery_store: RecoveryStore, plan: RecoveryPlan, choices: Iterable[str]) -> list[str]:
    """Have the versions taken that a person chose; gives what could not be chosen, and why."""
    not_chosen = []
    for text in choices:
        url, moment, repository = parse_choice(text)
        resource = recovery_store.find_resource(plan.identity.key(url))
        versions = [] if resource is None else recovery_store.held_versions(resource.id)
        number = nearest_version(versions, moment, repository)
        if resource is None or number is None:
            not_chosen.append(f"{url}: no version of it is known; run the recovery first, then choose")
            continue
        recovery_store.choose_version(resource.id, number)
    return not_chosen


def nearest_version(versions: Sequence[HeldVersion], moment: Moment, repository: str = "") -> int | None:
    """The held version nearest to a moment, in a repository if one is named."""
    dated = [
        (abs(each.listed.moment.micros - moment.micros), each.id)
        for each in versions
        if each.listed.moment is not None and repository in ("", each.listed.repository)
    ]
    return min(dated)[1] if dated else None
