"""Noise that pages everywhere have, told by what they call it: advertisements, dates of being made, counters of
visitors, tokens in addresses.

Nothing is noise by its looks alone. The date of a concert is one that matters, and a checksum looks like a token: only
what is labelled, in the text, in the text before it or in the names of the elements around it, is taken for noise.
Words are told in the languages that most pages are written in.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webkeep.change.detection.change_category import NoiseKind
from webkeep.change.detection.noise_rule import GAP, MaskedValue, NoiseOrigin
from webkeep.document import BlockRole, PageBlock
from webkeep.url.canonical import drop_path_session_ids, is_session_parameter

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember"
)
_DAYS = (
    "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
)
DATE_WORD = re.compile(rf"\b(?:{_MONTHS}|{_DAYS}|am|pm|utc|gmt|cet|cest|est|pst)\b", re.IGNORECASE)
_DATE = re.compile(rf"[0-9][0-9.:/,'-]*(?:t[0-9:.]+z?|st|nd|rd|th)?|{DATE_WORD.pattern}", re.IGNORECASE)
_AGO = re.compile(
    r"\b(?:[0-9]+|an?|one) (?:seconds?|minutes?|hours?|days?|weeks?|months?) ago\b|\b(?:just now|vor [0-9]+ \w+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9][0-9.,' ]*")
_TOKEN = re.compile(r"\b(?=[a-z_-]*[0-9])[0-9a-z_+/=-]{8,}", re.IGNORECASE)
_DATE_LABEL = re.compile(
    r"\b(?:(?:page|site|document) (?:was )?(?:generated|rendered|made|built|served|printed|created)"
    r"|(?:generated|rendered|retrieved|printed) (?:at|on|in)|last (?:updated|modified|changed|refreshed|edited)"
    r"|today is|(?:server|current|local) time|it is now|time now|erzeugt am|zuletzt (?:geändert|aktualisiert)"
    r"|copyright)\b|©|^updated\b",
    re.IGNORECASE,
)
_COUNTER_LABEL = re.compile(
    r"\bvisitor (?:number|no\b)|^(?:visitors?|visits|hits|page ?views|besucher|seitenaufrufe)\b[^a-z]*$"
    r"|\b(?:users|visitors|guests|people) online\b|\bonline now\b",
    re.IGNORECASE,
)
_TOKEN_LABEL = re.compile(r"\b(?:session|token|request id|trace id|nonce|ray id)\b", re.IGNORECASE)
_MAX_NOISE_CHARS = 300
"""A longer text is no label with its value; and what strangers write must not cost more than it is long."""
_NAME_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_ADVERTISING_NAMES = frozenset(
    (
        "ad",
        "ads",
        "adv",
        "adslot",
        "advert",
        "adverts",
        "advertisement",
        "advertisements",
        "advertising",
        "adsense",
        "sponsor",
        "sponsored",
        "sponsors",
        "werbung",
        "anzeige",
        "anzeigen",
        "doubleclick",
        "adserver",
        "adclick",
    )
)
_COUNTER_NAMES = frozenset(["counter", "hitcounter", "visitors", "visits", "hits", "pageviews", "besucher"])
_DATE_NAMES = frozenset(
    ["timestamp", "generated", "clock", "servertime", "lastmod", "lastmodified", "lastupdated", "rendered"]
)
_NONCE_PARAMETERS = frozenset(["nonce", "cb", "cachebuster", "rand", "random", "ts", "timestamp", "t", "_", "r"])
_SESSION_PARAMETERS = frozenset(["csrf", "csrftoken", "csrf_token", "token", "xsrf", "auth_token", "fbclid", "gclid"])


class KnownNoise:
    """What is known of pages everywhere."""

    def mask(self, block: PageBlock, previous: str) -> MaskedValue | None:
        """What is left of a block behind a text; None where it is known for nothing."""
        names = _name_words(block.place)
        if names & _ADVERTISING_NAMES:
            return _mask_known("", NoiseKind.ADVERTISEMENT)
        if block.role is BlockRole.TEXT:
            return _mask_text(block.value, previous, names)
        return _mask_address(block.value) if block.role is not BlockRole.UNSEEN else None


def _mask_known(value: str, kind: NoiseKind) -> MaskedValue:
    return MaskedValue(value, kind, NoiseOrigin.KNOWN)


@lru_cache(4096)
def _name_words(place: str) -> frozenset[str]:
    """The words that the elements around a block are named by, but not their tags."""
    names = (name for step in place.split(" ") for name in re.split(r"[#.]", step)[1:])
    return frozenset(word.lower() for name in names for word in _NAME_WORD.findall(name))


def _mask_text(text: str, previous: str, names: frozenset[str]) -> MaskedValue | None:
    if len(text) > _MAX_NOISE_CHARS:
        return None
    # A label stands in the text itself, or right before it, in an element of its own.
    label = text if _NAME_WORD.search(_DATE.sub("", text)) else f"{previous[-_MAX_NOISE_CHARS:]} {text}"
    if (masked := _AGO.sub(GAP, text)) != text:
        return _mask_known(masked, NoiseKind.DATE)
    if (_COUNTER_LABEL.search(label) or names & _COUNTER_NAMES) and (masked := _NUMBER.sub(GAP, text)) != text:
        return _mask_known(masked, NoiseKind.COUNTER)
    if (_DATE_LABEL.search(label) or names & _DATE_NAMES) and (masked := _DATE.sub(GAP, text)) != text:
        return _mask_known(masked, NoiseKind.DATE)
    if _TOKEN_LABEL.search(label) and (masked := _TOKEN.sub(GAP, text)) != text:
        return _mask_known(masked, NoiseKind.SESSION)
    return None


def _mask_address(address: str) -> MaskedValue | None:
    path, mark, query = address.partition("?")
    if _ADVERTISING_NAMES & {word.lower() for word in _NAME_WORD.findall(path)}:
        return _mask_known("", NoiseKind.ADVERTISEMENT)
    kept = [each for each in query.split("&") if _parameter_noise(each) is None]
    bare = drop_path_session_ids(path)
    if bare == path and len(kept) == query.count("&") + 1:
        return None
    kinds = {kind for each in query.split("&") if (kind := _parameter_noise(each)) is not None}
    rest = f"{bare}{mark}{'&'.join(kept)}" if kept else bare
    return _mask_known(rest, NoiseKind.SESSION if bare != path or NoiseKind.SESSION in kinds else NoiseKind.NONCE)


def _parameter_noise(assignment: str) -> NoiseKind | None:
    name = assignment.partition("=")[0].lower()
    if is_session_parameter(assignment) or name in _SESSION_PARAMETERS:
        return NoiseKind.SESSION
    return NoiseKind.NONCE if name in _NONCE_PARAMETERS else None


def unseen_noise(value: str) -> NoiseKind:
    """What a value that only programs read is: a nonce, or a token of a session."""
    return NoiseKind.NONCE if value.partition("=")[0].lower() in ("nonce", "integrity") else NoiseKind.SESSION
