"""Roles: what a person is in a collection, or in all of them, and what that allows."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from webkeep.errors import UsageError
from webkeep.service.accounts.permission import Permission

ALL_COLLECTIONS = "*"
"""In place of a collection's name: a role in all collections, those of later too, and in the service itself."""


class AccountRole(enum.StrEnum):
    """What a person is; each may do what those before it may."""

    READER = "reader"
    CURATOR = "curator"
    ADMINISTRATOR = "administrator"


_ALLOWED: Mapping[AccountRole, frozenset[Permission]] = {
    AccountRole.READER: frozenset({Permission.READ}),
    AccountRole.CURATOR: frozenset({Permission.READ, Permission.CURATE}),
    AccountRole.ADMINISTRATOR: frozenset({Permission.READ, Permission.CURATE, Permission.ADMINISTER}),
}
_WITHOUT_ROLE = frozenset({Permission.ANYONE, Permission.SIGNED_IN})


def parse_role(text: str) -> AccountRole:
    """A role by its name."""
    try:
        return AccountRole(text)
    except ValueError as error:
        names = ", ".join(AccountRole)
        raise UsageError(f"there is no role {text[:80]!r}; the roles are {names}") from error


def has_permission(roles: Mapping[str, AccountRole], permission: Permission, collection: str = "") -> bool:
    """Whether somebody with these roles, by collection, may do something in a collection, or without one in general.

    In general one may read and curate who may do so somewhere: what is shown is then chosen by collection. To
    administer in general is to administer everything.
    """
    if permission in _WITHOUT_ROLE:
        return True
    if collection:
        held = [roles[name] for name in (collection, ALL_COLLECTIONS) if name in roles]
    elif permission is Permission.ADMINISTER:
        held = [roles[ALL_COLLECTIONS]] if ALL_COLLECTIONS in roles else []
    else:
        held = list(roles.values())
    return any(permission in _ALLOWED[role] for role in held)
