"""Tokens by which programs call: of an account, within a scope, for one collection or all, until a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts.account_role import ALL_COLLECTIONS, AccountRole
from webkeep.service.accounts.permission import Permission

TOKEN_PREFIX = "webkeep_"
TOKEN_SCOPES = (Permission.READ, Permission.CURATE, Permission.ADMINISTER)
"""What a token may be good for; each includes those before it."""
_ROLE_OF_SCOPE = {
    Permission.READ: AccountRole.READER,
    Permission.CURATE: AccountRole.CURATOR,
    Permission.ADMINISTER: AccountRole.ADMINISTRATOR,
}
_ORDER = tuple(AccountRole)
_MAX_LABEL_CHARS = 200
"""Of what an owner calls a token: a line."""


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token as the store has it: never the token itself, only its hash."""

    id: str
    """By which it is named in pages and in the audit log."""
    account: str
    label: str
    """What its owner calls it."""
    scope: Permission
    collection: str
    """Which it is good for, or `ALL_COLLECTIONS`."""
    created: Moment
    expires: Moment | None = None
    used: Moment | None = None
    """When it was last used, as far as that was noted."""

    def __post_init__(self) -> None:
        if self.scope not in TOKEN_SCOPES:
            raise UsageError(f"{self.scope} is no scope of a token; the scopes are {', '.join(TOKEN_SCOPES)}")
        if not 0 < len(self.label.strip()) <= _MAX_LABEL_CHARS:
            raise UsageError(f"a token has a name of at most {_MAX_LABEL_CHARS} characters; say what it is for")

    def is_live(self, now: Moment) -> bool:
        """Whether its day has not come."""
        return self.expires is None or now < self.expires


def parse_scope(text: str) -> Permission:
    """A scope by its name."""
    found = next((scope for scope in TOKEN_SCOPES if scope.value == text), None)
    if found is None:
        raise UsageError(f"there is no scope {text[:80]!r}; the scopes are {', '.join(TOKEN_SCOPES)}")
    return found


def limit_roles(roles: Mapping[str, AccountRole], token: ApiToken) -> dict[str, AccountRole]:
    """What is left of an account's roles for whoever shows its token: no more than its scope, in its collection."""
    ceiling = _ROLE_OF_SCOPE[token.scope]
    limited = {name: min(role, ceiling, key=_ORDER.index) for name, role in roles.items()}
    if token.collection == ALL_COLLECTIONS:
        return limited
    held = [limited[name] for name in (token.collection, ALL_COLLECTIONS) if name in limited]
    return {token.collection: max(held, key=_ORDER.index)} if held else {}
