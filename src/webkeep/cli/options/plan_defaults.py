"""What plans have where nobody says otherwise, as help texts and options show it; it stands in the plans alone. Here
are only the words for the default scope.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from webkeep.url.scope import ScopeExtent


def default_of(plan: type[Any], name: str) -> Any:
    """The default of a field of a plan."""
    (found,) = (field for field in dataclasses.fields(plan) if field.name == name)
    if found.default_factory is not dataclasses.MISSING:
        return found.default_factory()
    return found.default


_SCOPE_WORDS = {
    ScopeExtent.PAGE: "itself alone",
    ScopeExtent.PREFIX: "its directory",
    ScopeExtent.HOST: "its host",
    ScopeExtent.DOMAIN: "its domain",
}


def describe_default_scope(plan: type[Any]) -> str:
    """How far around a seed a plan goes, in words: `prefix: its directory`."""
    extent = default_of(plan, "scope")
    return f"{extent}: {_SCOPE_WORDS[extent]}"
