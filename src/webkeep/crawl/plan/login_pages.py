"""Logout and login pages: which words in URLs would end a login, so that a capture with credentials leaves them out,
and which words or password fields show that it met a login page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.crawl.links.runnable_pages import PAGE_TYPES
from webkeep.redaction.values import decode_percent
from webkeep.store.archive import Archive
from webkeep.url.scope import MAX_REGEX_CHARS, RuleEffect, RuleSubject, UrlRule

_LOGOUT_WORDS = re.compile(
    r"(?<![a-z])(?:(?:user|do|member|account|sso|auto)?(?:log|sign)[-_.+ ]?(?:out|off)(?:user|page|action|now)?"
    r"|abmelden|ausloggen|d[eé]connexion|cerrar[-_]?sesi[oó]n|desconectar|uitloggen|logga[-_]?ut|wyloguj"
    r"|(?:end|close|destroy|kill|expire|delete|terminate)[-_]?session|session[-_/]?(?:end|close|destroy|kill|delete)"
    r")(?![a-z])",
    re.IGNORECASE,
)


_LOGIN_WORDS = re.compile(
    r"(?<![a-z])(?:(?:log|sign)[-_.]?(?:in|on)|anmelden|anmeldung|einloggen|connexion|iniciar[-_]?sesi[oó]n|inloggen"
    r"|logga[-_]?in|zaloguj|auth|sso|cas|oauth2?|saml2?)(?![a-z])",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(rb"<input\b[^>]{0,2000}?\btype\s{0,9}=\s{0,9}[\"']?password\b", re.IGNORECASE)
_MAX_READ_BYTES = 1 << 20
"""A field for a password stands in the beginning of its page."""


def is_login_url(url: str) -> bool:
    """Whether an address is called what pages are that ask who one is."""
    return _LOGIN_WORDS.search(decode_percent(url.partition("://")[2].partition("/")[2].partition("?")[0])) is not None


def has_password_field(url: str, archive: Archive) -> bool:
    """Whether the page that is held of a URL has a field for a password."""
    seen = archive.lookup(url)
    if seen is None or seen.url != url or seen.media_type not in PAGE_TYPES:
        return False
    return _PASSWORD_FIELD.search(b"".join(archive.read(seen).content(_MAX_READ_BYTES))) is not None


def is_logout(text: str) -> bool:
    """Whether an address, or a rule about addresses, is about ending a login."""
    return _LOGOUT_WORDS.search(text) is not None


@dataclass(frozen=True, slots=True)
class LogoutCondition:
    """The URL would end a login, by its path or query."""

    def holds(self, subject: RuleSubject) -> bool:
        """Whether it would."""
        target = subject.url[:MAX_REGEX_CHARS].partition("://")[2].partition("/")[2]
        return is_logout(decode_percent(target))


NO_LOGOUT = UrlRule(
    RuleEffect.EXCLUDE,
    "logout",
    (LogoutCondition(),),
    "it would end the login; --include '*logout*' takes it in all the same",
)
"""Leaves out what would end the login."""
