"""Secrets that the service gives out: made of chance, kept only as their hash, compared in constant time.

They have 256 bits of chance, so that a plain SHA-256 is enough to keep them by: nobody can try them all. Passwords
have not, and are hashed slowly (`password_hash.py`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

_SECRET_BYTES = 32
"""Of chance: 256 bits."""
_PASSWORD_BYTES = 12
"""Of chance in a password that is given to somebody: sixteen characters, which can be read out."""


def new_secret() -> str:
    """A secret that cannot be guessed, in characters that stand in a URL."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def new_password() -> str:
    """A password made of chance, for somebody who will choose another."""
    return secrets.token_urlsafe(_PASSWORD_BYTES)


def hash_secret(secret: str) -> str:
    """What a secret is kept and found by."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def derive_csrf_token(secret: str) -> str:
    """The token that forms of a session carry; it changes with the session, and does not give its secret away."""
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"webkeep csrf", hashlib.sha256).hexdigest()


def is_same_secret(left: str, right: str) -> bool:
    """Whether two are the same, told in a time that says nothing about where they differ."""
    return hmac.compare_digest(left.encode("utf-8", "surrogatepass"), right.encode("utf-8", "surrogatepass"))
