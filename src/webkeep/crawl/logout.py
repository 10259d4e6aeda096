"""What ends a login: a capture that sees with someone's eyes must not follow it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.redaction.escapes import decode_percent
from webkeep.url.rules import REGEX_REACH, Effect, Rule, Subject

_ENDING = re.compile(
    r"(?<![a-z])(?:(?:user|do|member|account|sso|auto)?(?:log|sign)[-_.+ ]?(?:out|off)(?:user|page|action|now)?"
    r"|abmelden|ausloggen|d[eé]connexion|cerrar[-_]?sesi[oó]n|desconectar|uitloggen|logga[-_]?ut|wyloguj"
    r"|(?:end|close|destroy|kill|expire|delete|terminate)[-_]?session|session[-_/]?(?:end|close|destroy|kill|delete)"
    r")(?![a-z])",
    re.IGNORECASE,
)


def ends_login(text: str) -> bool:
    """Whether an address, or a rule about addresses, is about ending a login."""
    return _ENDING.search(text) is not None


@dataclass(frozen=True, slots=True)
class EndsLogin:
    """The URL would end a login, by its path or query."""

    def holds(self, subject: Subject) -> bool:
        """Whether it would."""
        target = subject.url[:REGEX_REACH].partition("://")[2].partition("/")[2]
        return ends_login(decode_percent(target))


NO_LOGOUT = Rule(Effect.EXCLUDE, "logout, which would end the login; --include '*logout*' takes it in", (EndsLogin(),))
"""Leaves out what would end the login."""
