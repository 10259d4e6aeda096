"""What ends a login, and what asks for one: a capture that sees with someone's eyes must not follow the first, and has
come to nothing where it meets the second.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.crawl.browsing.page_notes import PAGES
from webkeep.redaction.escapes import decode_percent
from webkeep.store.archive import Archive
from webkeep.url.rules import REGEX_REACH, Effect, Rule, Subject

_ENDING = re.compile(
    r"(?<![a-z])(?:(?:user|do|member|account|sso|auto)?(?:log|sign)[-_.+ ]?(?:out|off)(?:user|page|action|now)?"
    r"|abmelden|ausloggen|d[eé]connexion|cerrar[-_]?sesi[oó]n|desconectar|uitloggen|logga[-_]?ut|wyloguj"
    r"|(?:end|close|destroy|kill|expire|delete|terminate)[-_]?session|session[-_/]?(?:end|close|destroy|kill|delete)"
    r")(?![a-z])",
    re.IGNORECASE,
)


_BEGINNING = re.compile(
    r"(?<![a-z])(?:(?:log|sign)[-_.]?(?:in|on)|anmelden|anmeldung|einloggen|connexion|iniciar[-_]?sesi[oó]n|inloggen"
    r"|logga[-_]?in|zaloguj|auth|sso|cas|oauth2?|saml2?)(?![a-z])",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(rb"<input\b[^>]{0,2000}?\btype\s{0,9}=\s{0,9}[\"']?password\b", re.IGNORECASE)
_MOST_READ = 1 << 20


def leads_to_login(url: str) -> bool:
    """Whether an address is called what pages are that ask who one is."""
    return _BEGINNING.search(decode_percent(url.partition("://")[2].partition("/")[2].partition("?")[0])) is not None


def asks_for_password(url: str, archive: Archive) -> bool:
    """Whether the page that is held of a URL has a field for a password."""
    seen = archive.lookup(url)
    if seen is None or seen.url != url or seen.media_type not in PAGES:
        return False
    return _PASSWORD_FIELD.search(b"".join(archive.read(seen).content(_MOST_READ))) is not None


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


NO_LOGOUT = Rule(
    Effect.EXCLUDE, "logout", (EndsLogin(),), "it would end the login; --include '*logout*' takes it in all the same"
)
"""Leaves out what would end the login."""
