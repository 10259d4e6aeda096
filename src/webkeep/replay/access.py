"""Access rules: what of an archive is shown, to whom it may be shown at all."""

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
from webkeep.memento.http_moment import last_moment
from webkeep.model import Moment, parse_moment
from webkeep.url import Match, key_range, read_pattern

LAST_KEY = "\U0010ffff"
"""Beyond all keys."""

_DAY = 86400.0
_LONGEST_DAY = 8


class Effect(enum.StrEnum):
    """What a rule does to what it is about."""

    ALLOW = "allow"
    BLOCK = "block"
    EMBARGO = "embargo"


@dataclass(frozen=True, slots=True)
class AccessRule:
    """One rule: about the URLs with keys from `low` up to `high`, captured within a time."""

    effect: Effect
    low: str = ""
    high: str = LAST_KEY
    since: Moment | None = None
    until: Moment | None = None
    days: float = 0.0
    """How old a version must be before an embargo lets it be seen."""

    def concerns(self, key: str, moment: Moment) -> bool:
        """Whether it is about a version."""
        return (
            self.low <= key < self.high
            and (self.since is None or self.since <= moment)
            and (self.until is None or moment <= self.until)
        )

    def shows(self, moment: Moment, now: Moment) -> bool:
        """Whether it lets a version it concerns be seen."""
        if self.effect is Effect.EMBARGO:
            return now.seconds_since(moment) >= self.days * _DAY
        return self.effect is Effect.ALLOW


@dataclass(frozen=True, slots=True)
class Access:
    """All rules: the first that concerns a version decides; what none concerns is shown."""

    rules: tuple[AccessRule, ...] = ()

    def hides(self) -> bool:
        """Whether anything at all may be hidden."""
        return self.may_hide("", LAST_KEY)

    def may_hide(self, low: str, high: str) -> bool:
        """Whether anything with a key from `low` up to `high` may be hidden."""
        hiding = (rule for rule in self.rules if rule.effect is not Effect.ALLOW)
        return any(rule.low < high and low < rule.high for rule in hiding)

    def shows(self, key: str, moment: Moment, now: Moment) -> bool:
        """Whether a version may be seen."""
        for rule in self.rules:
            if rule.concerns(key, moment):
                return rule.shows(moment, now)
        return True


def read_rules(path: Path, now: Moment) -> Access:
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
    return Access(tuple(_rule(path, number, each, now) for number, each in enumerate(rules, 1)))


def _rule(path: Path, number: int, values: Mapping[str, object], now: Moment) -> AccessRule:
    where = f"{path}, rule {number}"
    unknown = set(values) - {"access", "url", "from", "until", "days"}
    if unknown:
        raise UsageError(
            f"{where}: {', '.join(sorted(unknown))} means nothing here; write access, url, from, until, days"
        )
    try:
        effect = Effect(str(values.get("access")))
    except ValueError:
        raise UsageError(f"{where}: access cannot be {values.get('access')!r}; write allow, block or embargo") from None
    days = values.get("days", 0)
    if isinstance(days, bool) or not isinstance(days, int | float) or (effect is Effect.EMBARGO) != bool(days):
        raise UsageError(f"{where}: an embargo, and nothing else, has a number of days")
    low, high = _keys(str(values.get("url", "")))
    since, until = _moment(values.get("from"), now), _end(values.get("until"), now)
    return AccessRule(effect, low, high, since, until, float(days))


def _keys(pattern: str) -> tuple[str, str]:
    if not pattern:
        return "", LAST_KEY
    url, match = read_pattern(pattern)
    is_host = match is Match.EXACT and "/" not in (pattern.partition("://")[2] or pattern)
    return key_range(url, Match.HOST if is_host else match)


def _moment(value: object, now: Moment) -> Moment | None:
    return None if value is None else parse_moment(str(value), now)


def _end(value: object, now: Moment) -> Moment | None:
    """The end of a time: all of a day, month or year that is named, as nothing of it is to be seen by oversight."""
    moment = _moment(value, now)
    digits = str(value).strip().replace("-", "")
    is_day = digits.isdigit() and len(digits) <= _LONGEST_DAY
    return last_moment(moment, len(digits)) if moment is not None and is_day else moment


@dataclass(frozen=True, slots=True)
class Password:
    """The one password of a server; the name that comes with it does not matter."""

    text: str

    def is_in(self, authorization: str) -> bool:
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


def parse_rules(texts: Sequence[str], now: Moment) -> Access:
    """Rules as a command line gives them: `block:example.org/private*`, `embargo:30:example.org/*`."""
    rules: list[AccessRule] = []
    for text in texts:
        effect, named, rest = text.partition(":")
        days, colon, pattern = rest.partition(":") if effect == Effect.EMBARGO else ("", "", rest)
        if not named or effect not in set(Effect) or (effect == Effect.EMBARGO and not (colon and days.isdigit())):
            raise UsageError(f"not an access rule: {text!r}; write block:URL*, allow:URL* or embargo:DAYS:URL*")
        values: dict[str, object] = {"access": effect, "url": pattern}
        if days:
            values["days"] = int(days)
        rules.append(_rule(Path("--access"), len(rules) + 1, values, now))
    return Access(tuple(rules))
