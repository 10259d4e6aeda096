"""Access rules: what of an archive is shown, and to whom; how allow, block and embargo are written (TOML file,
`--access`), which rule decides, and how the server's password is checked.
"""

from __future__ import annotations

import base64
import binascii
import enum
import hmac
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.formats import is_dump_urn
from webkeep.memento import end_of_period
from webkeep.model import Moment, parse_moment
from webkeep.url import UrlMatch, key_range, parse_url_pattern

MAX_KEY = "\U0010ffff"
"""Beyond all keys."""

_DAY_SECONDS = 86400.0
_MAX_DATE_DIGITS = 8
"""The digits of a year, month or day; what has more names a time of day too."""


class AccessEffect(enum.StrEnum):
    """What a rule does to what it is about."""

    ALLOW = "allow"
    BLOCK = "block"
    EMBARGO = "embargo"


@dataclass(frozen=True, slots=True)
class AccessRule:
    """One rule: about the URLs with keys from `low` up to `high`, captured within a time."""

    effect: AccessEffect
    low: str = ""
    high: str = MAX_KEY
    since: Moment | None = None
    until: Moment | None = None
    days: float = 0.0
    """How old a version must be before an embargo lets it be seen."""

    def applies_to(self, key: str, moment: Moment) -> bool:
        """Whether it is about a version."""
        return (
            self.low <= key < self.high
            and (self.since is None or self.since <= moment)
            and (self.until is None or moment <= self.until)
        )

    def allows(self, moment: Moment, now: Moment) -> bool:
        """Whether it lets a version it concerns be seen."""
        if self.effect is AccessEffect.EMBARGO:
            return now.seconds_since(moment) >= self.days * _DAY_SECONDS
        return self.effect is AccessEffect.ALLOW


@dataclass(frozen=True, slots=True)
class AccessRules:
    """All rules: the first that concerns a version decides; what none concerns is shown."""

    rules: tuple[AccessRule, ...] = ()

    def has_hiding_rules(self) -> bool:
        """Whether anything at all may be hidden."""
        return self.may_hide("", MAX_KEY)

    def may_hide(self, low: str, high: str) -> bool:
        """Whether anything with a key from `low` up to `high` may be hidden."""
        hiding = (rule for rule in self.rules if rule.effect is not AccessEffect.ALLOW)
        return any(rule.low < high and low < rule.high for rule in hiding)

    def allows(self, key: str, moment: Moment, now: Moment) -> bool:
        """Whether a version may be seen; the data behind a site never is, whatever rules say."""
        if is_dump_urn(key):
            return False
        for rule in self.rules:
            if rule.applies_to(key, moment):
                return rule.allows(moment, now)
        return True


def read_rule_file(path: Path, now: Moment) -> AccessRules:
    """Read a file of rules (TOML): `[[rule]]` with `access`, `url`, `from`, `until`, `days`."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML ({error}); mend it") from error
    rules = values.get("rule", [])
    if set(values) - {"rule"} or not isinstance(rules, list):
        raise UsageError(f"{path} has more in it than rules; write every rule as [[rule]]")
    return AccessRules(tuple(_parse_rule(path, number, each, now) for number, each in enumerate(rules, 1)))


def _parse_rule(path: Path, number: int, values: Mapping[str, object], now: Moment) -> AccessRule:
    where = f"{path}, rule {number}"
    unknown = set(values) - {"access", "url", "from", "until", "days"}
    if unknown:
        raise UsageError(
            f"{where}: {', '.join(sorted(unknown))} means nothing here; write access, url, from, until, days"
        )
    try:
        effect = AccessEffect(str(values.get("access")))
    except ValueError:
        raise UsageError(f"{where}: access cannot be {values.get('access')!r}; write allow, block or embargo") from None
    days = values.get("days", 0)
    if isinstance(days, bool) or not isinstance(days, int | float) or (effect is AccessEffect.EMBARGO) != bool(days):
        raise UsageError(f"{where}: an embargo, and nothing else, has a number of days")
    low, high = _key_range_of(str(values.get("url", "")))
    since, until = _parse_start(values.get("from"), now), _parse_end(values.get("until"), now)
    return AccessRule(effect, low, high, since, until, float(days))


def _key_range_of(pattern: str) -> tuple[str, str]:
    if not pattern:
        return "", MAX_KEY
    url, match = parse_url_pattern(pattern)
    is_host = match is UrlMatch.EXACT and "/" not in (pattern.partition("://")[2] or pattern)
    return key_range(url, UrlMatch.HOST if is_host else match)


def _parse_start(value: object, now: Moment) -> Moment | None:
    return None if value is None else parse_moment(str(value), now)


def _parse_end(value: object, now: Moment) -> Moment | None:
    """The end of a time: all of a day, month or year that is named, as nothing of it is to be seen by oversight."""
    moment = _parse_start(value, now)
    digits = str(value).strip().replace("-", "")
    is_day = digits.isdigit() and len(digits) <= _MAX_DATE_DIGITS
    return end_of_period(moment, len(digits)) if moment is not None and is_day else moment


@dataclass(frozen=True, slots=True)
class ServerPassword:
    """The one password of a server; the name that comes with it does not matter."""

    text: str

    def matches(self, authorization: str) -> bool:
        """Whether an Authorization field has it."""
        scheme, _, coded = authorization.partition(" ")
        if scheme.lower() != "basic":
            return False
        try:
            given = base64.b64decode(coded.strip(), validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(given, self.text.encode())


def secret_label(password: str, salt: bytes) -> str:
    """What stands in the names of replay hosts so that only those find them who were let in."""
    digest = hmac.digest(salt, password.encode(), "sha256")
    return "k" + base64.b32encode(digest[:15]).decode().lower()


def parse_rule_options(texts: Sequence[str], now: Moment) -> AccessRules:
    """Rules as a command line gives them: `block:example.org/private*`, `embargo:30:example.org/*`."""
    rules: list[AccessRule] = []
    for text in texts:
        effect, named, rest = text.partition(":")
        days, colon, pattern = rest.partition(":") if effect == AccessEffect.EMBARGO else ("", "", rest)
        if (
            not named
            or effect not in set(AccessEffect)
            or (effect == AccessEffect.EMBARGO and not (colon and days.isdigit()))
        ):
            raise UsageError(f"not an access rule: {text!r}; write block:URL*, allow:URL* or embargo:DAYS:URL*")
        values: dict[str, object] = {"access": effect, "url": pattern}
        if days:
            values["days"] = int(days)
        rules.append(_parse_rule(Path("--access"), len(rules) + 1, values, now))
    return AccessRules(tuple(rules))
