"""Pages that show something else than the page: errors sent as pages (soft 404), parked domains, login and bot walls,
consent pages, words that it is not for readers from here, archives' words; by which words of which languages they are
told, and over how little text.

Archives keep what servers sent. What is looked for here is sure enough to be refused: a title that says so over little
text. A page that merely speaks of such things has more to say than that.
"""

from __future__ import annotations

import enum
import re

MAX_SCANNED_BYTES = 64 * 1024
"""Error and parking pages are short, and say so early."""
_TITLE_SCAN_BYTES = 16 * 1024
"""Where title and first heading stand."""
_LITTLE_TEXT_BYTES = 1500
"""Text without markup: a page that has more is one, whatever its title says."""
_MAX_TITLE_CHARS = 120
"""A longer title says more than that something is not there."""


class PlaceholderSuspicion(enum.StrEnum):
    """What a version shows in place of the page."""

    SOFT_404 = "a page that says it is not there"
    SERVER_ERROR = "an error of the server"
    PARKED = "a parked domain"
    LOGIN = "a login form"
    BOT_WALL = "a wall against robots"
    CONSENT = "a page that asks for consent"
    REGION = "a word that it is not for readers from here"
    ARCHIVE = "a word of the archive itself"
    TAKEN_OVER = "a page of whoever had the name later"


_TITLE = re.compile(rb"<title[^>]*>(.{0,600}?)</title", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(rb"<h1[^>]*>(.{0,300}?)</h1", re.IGNORECASE | re.DOTALL)
_HIDDEN = re.compile(
    rb"<(script|style|noscript|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^>]*>", re.IGNORECASE | re.DOTALL
)
_SPACE = re.compile(rb"\s+")
_NOT_FOUND = re.compile(
    r"\b(?:error\s*)?40[34]\b(?!\s*\()|\b(?:page|file|document|object|site|url|article)\b.{0,20}\bnot\s+(?:be\s+)?found"
    r"|^\s*not\s+found|\bno\s+longer\s+(?:exists?|available)|\bdoes\s*n.t\s+exist|\bseite\s+nicht\s+gefunden"
    r"|\bpage\s+(?:introuvable|non\s+trouv)|\bp[áa]gina\s+no\s+(?:encontrada|existe)|\bpagina\s+non\s+trovata"
    r"|\bp[áa]gina\s+n[ãa]o\s+encontrada|\bстраница\s+не\s+найдена|\bpagina\s+niet\s+gevonden",
    re.IGNORECASE,
)
_SERVER = re.compile(
    r"\b50[023]\b.{0,30}(?:error|unavailable|gateway)|\binternal\s+server\s+error|\bservice\s+(?:temporarily\s+)?"
    r"unavailable|\berror\s+establishing\s+a\s+database|\bdatabase\s+(?:connection\s+)?error|\baccount\s+"
    r"(?:has\s+been\s+)?suspended|\bbandwidth\s+limit\s+exceeded|\bsite\s+(?:is\s+)?suspended",
    re.IGNORECASE,
)
_PARKED = re.compile(
    rb"domain\s+(?:name\s+)?(?:is|may\s+be|has\s+been)\s+(?:parked|for\s+sale|expired)|buy\s+this\s+domain|"
    rb"domain\s+(?:has\s+)?expired|this\s+(?:web\s*page|domain)\s+is\s+parked|sedoparking|parkingcrew|"
    rb"hugedomains\.com|parked\s+free,\s+courtesy|inquire\s+about\s+this\s+domain|diese\s+domain\s+(?:steht|ist)\s+"
    rb"(?:zum\s+verkauf|zu\s+verkaufen)",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"\b(?:log|sign)\s*-?\s*(?:in|on)\b|\blogin\b|\banmeld(?:en|ung)\b|\bconnexion\b", re.IGNORECASE)
_PASSWORD = re.compile(rb"<input[^>]*type\s*=\s*[\"']?password", re.IGNORECASE)
_ARCHIVE_NOTICE = re.compile(
    rb"<title>\s*(?:internet\s+archive\s+)?wayback\s+machine\s*</title|has\s+not\s+archived\s+that\s+url|"
    rb"got\s+an\s+http\s+\d{3}\s+response\s+at\s+crawl\s+time|robots\.txt\s+query\s+exclusion|"
    rb"this\s+url\s+has\s+been\s+excluded\s+from\s+the\s+wayback|<title>\s*pywb\s+wayback\s+machine|"
    rb"url\s+not\s+found:\s+the\s+url\s+<b>",
    re.IGNORECASE,
)
_BOT_WALL = re.compile(
    r"^\s*just\s+a\s+moment|\bchecking\s+your\s+browser|\battention\s+required|\baccess\s+denied|\bare\s+you\s+(?:a\s+)?"
    r"(?:human|robot)|\bverify(?:ing)?\s+(?:that\s+)?you\s+are\s+(?:a\s+)?human|\bsecurity\s+check|\brobot\s+check|"
    r"\bunusual\s+traffic|\bbot\s+(?:verification|detection)|\bcaptcha\b|\brequest\s+blocked|\btoo\s+many\s+requests",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\bbefore\s+you\s+continue|\bwe\s+value\s+your\s+privacy|\byour\s+privacy\s+choices|\bcookie\s+(?:consent|settings|"
    r"preferences)|\bage\s+verification|\bare\s+you\s+over\s+1[68]|\bzustimmung|\bdatenschutz-?einstellungen",
    re.IGNORECASE,
)
_REGION = re.compile(
    r"\b(?:un|not\s+(?:currently\s+)?)available\s+(?:in|for|from)\s+(?:your|this)\s+(?:\w+\s+)?(?:country|region|location|area"
    r"|territory)|\bnot\s+accessible\s+from\s+(?:your|this)\s+(?:country|region|location)"
    r"|\bunavailable\s+(?:due\s+to|for)\s+legal\s+reasons|\bunavailable\s+(?:to|for)\s+(?:european|eu)\s"
    r"|\bin\s+(?:ihrem|deinem)\s+(?:land|gebiet)\s+(?:derzeit\s+)?nicht\s+verf[üu]gbar"
    r"|\b(?:pas|non)\s+(?:disponible|accessible)\s+dans\s+votre\s+(?:pays|r[ée]gion)"
    r"|\bno\s+(?:est[áa]\s+)?disponible\s+en\s+(?:su|tu)\s+(?:pa[íi]s|regi[óo]n)"
    r"|\bn[ãa]o\s+(?:est[áa]\s+)?dispon[íi]vel\s+(?:no\s+seu|na\s+sua)\s+(?:pa[íi]s|regi[ãa]o)"
    r"|\bnon\s+(?:[èe]\s+)?disponibile\s+nel\s+(?:tuo|suo)\s+paese|недоступ\w*\s+в\s+вашей\s+стране",
    re.IGNORECASE,
)
_ASKS_FOR_LOGIN = re.compile(r"log-?in|sign-?in|anmeld|account|auth|admin|member", re.IGNORECASE)


def detect_placeholder_page(url: str, start: bytes, is_root: bool = False) -> PlaceholderSuspicion | None:
    """What the content of an answered HTML page shows in place of the page, if that is plain; a root page is never
    taken for a missing one.
    """
    if b"<" not in start[:2048]:
        return None
    lower = start[:MAX_SCANNED_BYTES].lower()
    # Expressions over whole pages are slow; plain words tell first whether one is worth the while.
    if (
        b"wayback" in lower
        or b"archived" in lower
        or b"crawl time" in lower
        or b"not found:" in lower
        or b"exclusion" in lower
    ) and _ARCHIVE_NOTICE.search(lower):
        return PlaceholderSuspicion.ARCHIVE
    if (b"domain" in lower or b"park" in lower) and _PARKED.search(lower):
        return PlaceholderSuspicion.PARKED if len(_strip_markup(start)) < 2 * _LITTLE_TEXT_BYTES else None
    return _by_title(url, start, is_root)


def _by_title(url: str, start: bytes, is_root: bool) -> PlaceholderSuspicion | None:
    found = (_TITLE.search(start, 0, _TITLE_SCAN_BYTES), _HEADING.search(start, 0, _TITLE_SCAN_BYTES))
    titles = [title for match in found if match and len(title := _markup_text(match[1])) <= _MAX_TITLE_CHARS]
    suspicion = None
    if any(_SERVER.search(title) for title in titles):
        suspicion = PlaceholderSuspicion.SERVER_ERROR
    elif any(_REGION.search(title) for title in titles):
        suspicion = PlaceholderSuspicion.REGION
    elif not is_root and any(_NOT_FOUND.search(title) for title in titles):
        suspicion = PlaceholderSuspicion.SOFT_404
    elif any(_LOGIN.search(title) for title in titles) and _PASSWORD.search(start) and not _is_login_url(url):
        suspicion = PlaceholderSuspicion.LOGIN
    elif any(_BOT_WALL.search(title) for title in titles):
        suspicion = PlaceholderSuspicion.BOT_WALL
    elif any(_CONSENT.search(title) for title in titles):
        suspicion = PlaceholderSuspicion.CONSENT
    if suspicion is None:
        return None
    walls = (PlaceholderSuspicion.LOGIN, PlaceholderSuspicion.BOT_WALL)
    most = _LITTLE_TEXT_BYTES // 3 if suspicion in walls else _LITTLE_TEXT_BYTES
    return suspicion if len(_strip_markup(start)) < most else None


def _is_login_url(url: str) -> bool:
    return _ASKS_FOR_LOGIN.search(url.partition("://")[2].partition("/")[2]) is not None


def _strip_markup(start: bytes) -> bytes:
    """The text of a page, roughly: what is left without its tags."""
    return _SPACE.sub(b" ", _HIDDEN.sub(b" ", start)).strip()


def _markup_text(markup: bytes) -> str:
    return _strip_markup(markup).decode("utf-8", "replace")
