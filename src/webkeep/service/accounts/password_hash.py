"""Passwords hashed by argon2id, as RFC 9106 recommends for machines with little memory; one that nobody has costs as
much to check as one that somebody has.
"""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

DEFAULT_HASHER = PasswordHasher(time_cost=3, memory_cost=65536, parallelism=4)
"""RFC 9106, section 4, the second recommended option: 64 MiB."""


class AccountPasswords:
    """What is kept of passwords, and whether one fits it; slow on purpose, so it is asked in a thread."""

    def __init__(self, hasher: PasswordHasher = DEFAULT_HASHER) -> None:
        self._hasher = hasher

    def hash(self, password: str) -> str:
        """What is kept of a password."""
        return self._hasher.hash(password)

    def is_right(self, kept: str | None, password: str) -> bool:
        """Whether a password fits what is kept; where nothing is, the same work is done for the answer no."""
        try:
            self._hasher.verify(kept or _hash_of_nobody(self._hasher), password)
        except (VerificationError, InvalidHashError, UnicodeEncodeError):
            return False
        return kept is not None

    def is_outdated(self, kept: str) -> bool:
        """Whether it was hashed by other parameters, and is to be hashed anew when the password is next known."""
        return self._hasher.check_needs_rehash(kept)


@cache
def _hash_of_nobody(hasher: PasswordHasher) -> str:
    return hasher.hash("a password that nobody has")
