"""Rules: what a person adds to a scope or takes from it, by URL wildcard, host, regular expression, SURT prefix, media
type and size.

A rule holds where all its conditions hold. Media type and size are unknown before a URL is asked for, so a
condition answers yes, no, or None for "not known yet". The texts people write are read in `rule_syntax`; another
notation needs only to build the same rules.
"""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.url.linear_pattern import LinearPattern
from webkeep.url.surt_prefix import build_surt_form

MAX_REGEX_CHARS = 2048
"""How many characters of a URL a regular expression gets to see, so that a slow one stays bearable."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
"""The signs a size can be compared by, longer ones first."""


class RuleEffect(enum.StrEnum):
    """What a rule does with the URLs it holds for."""

    INCLUDE = "include"
    EXCLUDE = "exclude"


@dataclass(frozen=True, slots=True)
class RuleSubject:
    """What a rule is asked about."""

    url: str
    """In its normal form, without fragment."""
    media_type: str | None = None
    """Without parameters, in lower case; None while it is unknown."""
    size: int | None = None
    """In bytes; None while it is unknown."""


class RuleCondition(Protocol):
    """One thing a rule looks at."""

    def holds(self, subject: RuleSubject) -> bool | None:
        """Whether it is so; None while that cannot be known."""
        ...


@dataclass(frozen=True, slots=True)
class UrlRule:
    """Conditions that must all hold, and what happens then."""

    effect: RuleEffect
    text: str
    """As the person wrote it."""
    conditions: tuple[RuleCondition, ...]
    reason: str = ""
    """Why it is there, where that is no person's wish."""

    def holds(self, subject: RuleSubject) -> bool | None:
        """Whether all conditions hold; None while that cannot be known."""
        answer: bool | None = True
        for condition in self.conditions:
            held = condition.holds(subject)
            if held is False:
                return False
            if held is None:
                answer = None
        return answer

    def __str__(self) -> str:
        return f"{self.effect} {self.text}"


class WildcardStart(enum.Enum):
    """From where on a wildcard looks at a URL."""

    WHOLE = "the scheme"
    ADDRESS = "the host"
    PATH = "the path"


@dataclass(frozen=True, slots=True)
class UrlCondition:
    """The URL, with its query or without, is of a shape given with `*` for any characters."""

    shape: str
    side: WildcardStart
    _matches: Callable[[str], object] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matches", compile_wildcard(self.shape))

    def holds(self, subject: RuleSubject) -> bool:
        """Whether the URL has the shape."""
        text = subject.url
        if self.side is not WildcardStart.WHOLE:
            text = text.partition("://")[2]
        if self.side is WildcardStart.PATH:
            text = text[text.find("/") :] if "/" in text else "/"
        return bool(self._matches(text) or ("?" in text and self._matches(text.partition("?")[0])))


@dataclass(frozen=True, slots=True)
class HostCondition:
    """The host is of a shape given with `*` for any characters."""

    shape: str
    _matches: Callable[[str], object] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matches", compile_wildcard(self.shape))

    def holds(self, subject: RuleSubject) -> bool:
        """Whether the host has the shape."""
        authority = re.split("[/?#]", subject.url.partition("://")[2], maxsplit=1)[0].rpartition("@")[2]
        return bool(self._matches(re.sub(r":[0-9]*\Z", "", authority)))


@dataclass(frozen=True, slots=True)
class RegexCondition:
    """A regular expression is found in the URL."""

    expression: re.Pattern[str] | LinearPattern

    def holds(self, subject: RuleSubject) -> bool:
        """Whether it is found within the URL's first characters."""
        return bool(self.expression.search(subject.url[:MAX_REGEX_CHARS]))


@dataclass(frozen=True, slots=True)
class SurtCondition:
    """The URL's SURT form begins with a prefix."""

    prefix: str

    def holds(self, subject: RuleSubject) -> bool:
        """Whether it does."""
        return build_surt_form(subject.url).startswith(self.prefix)


@dataclass(frozen=True, slots=True)
class MediaTypeCondition:
    """The media type is of a shape such as `image/*`."""

    shape: str
    _matches: Callable[[str], object] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matches", compile_wildcard(self.shape))

    def holds(self, subject: RuleSubject) -> bool | None:
        """Whether the media type has the shape, once it is known."""
        return None if subject.media_type is None else bool(self._matches(subject.media_type))


@dataclass(frozen=True, slots=True)
class SizeCondition:
    """The size compares with a limit as a sign says."""

    sign: str
    limit: int

    def holds(self, subject: RuleSubject) -> bool | None:
        """Whether it does, once the size is known."""
        return None if subject.size is None else COMPARISONS[self.sign](subject.size, self.limit)


def compile_wildcard(shape: str) -> Callable[[str], object]:
    """A test for text of this shape, where `*` stands for any characters and case does not matter."""
    first, *others = shape.split("*")
    if not others:
        return re.compile(re.escape(first), re.IGNORECASE).fullmatch
    *middle, last = others
    # The first place where a piece fits is good enough; never going back on it keeps many stars from being slow.
    pieces = "".join(f"(?>.*?{re.escape(piece)})" for piece in middle if piece)
    return re.compile(f"{re.escape(first)}{pieces}.*{re.escape(last)}", re.IGNORECASE | re.DOTALL).fullmatch
