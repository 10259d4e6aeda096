"""Accounts as values, and what may be the name or the password of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts.account_role import ALL_COLLECTIONS, AccountRole

_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,62}")
MIN_PASSWORD_CHARS = 12
"""Shorter ones are guessed, however slowly they are hashed."""
MAX_PASSWORD_CHARS = 1024
"""Longer ones nobody types, and hashing them would be work for nothing."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person of the service."""

    name: str
    created: Moment
    roles: Mapping[str, AccountRole] = field(default_factory=dict)
    """By the name of a collection, or by `ALL_COLLECTIONS`."""
    is_locked: bool = False
    """Whether it is shut out, with everything that it did kept."""

    @property
    def is_administrator(self) -> bool:
        """Whether it may do everything."""
        return not self.is_locked and self.roles.get(ALL_COLLECTIONS) is AccountRole.ADMINISTRATOR


def check_account_name(text: str) -> str:
    """A name that an account can have; capitals are made small, since people type both."""
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"not a name for an account: {text[:80]!r}; write letters, digits and . _ @ + -, at most 63 of them"
        )
    return name


def check_new_password(password: str, name: str) -> None:
    """Refuse a password that is guessed soon; it is never repeated in what is said."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise UsageError(f"a password has from {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters; choose another")
    if len(set(password)) < MIN_PASSWORD_CHARS // 3 or password.lower() in (name, name * 2, name[::-1]):
        raise UsageError("that password is guessed soon; choose another")
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in password):
        raise UsageError("that password has bytes that are no text in UTF-8; choose another")
