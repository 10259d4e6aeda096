"""The text of rules, as `--include` and `--exclude` take them: how wildcards, hosts, regular expressions, SURT
prefixes, media types and sizes are written, apart by spaces where all must hold.

=====================================  ==============================================================
`*.pdf`                                `*` is any characters, case does not matter
`https://example.org/private/*`        from the scheme on, where the text has one
`example.org/private/*`                else from the host on, for http and https alike
`/private/*`                           from the path on, on any host
`host:*.example.org`                   the host alone
`re:/calendar/[0-9]{4}/`               a regular expression, found anywhere in the URL
`surt:http://(org,example,`            the beginning of the URL's SURT form
`type:image/*`                         the media type
`size:>10MB`                           the size: `>`, `>=`, `<`, `<=`, `=`; B, kB, MB, GB, KiB, MiB, GiB
`*.gif size:<5kB`                      both
=====================================  ==============================================================
"""

from __future__ import annotations

import re
import warnings

from webkeep.errors import UsageError
from webkeep.url.linear_pattern import LinearPattern
from webkeep.url.scope.url_rules import (
    COMPARISONS,
    HostCondition,
    MediaTypeCondition,
    RegexCondition,
    RuleCondition,
    RuleEffect,
    SizeCondition,
    SurtCondition,
    UrlCondition,
    UrlRule,
    WildcardStart,
)

_SIZE = re.compile(rf"({'|'.join(COMPARISONS)})?([0-9]{{1,15}}(?:\.[0-9]{{1,6}})?)([a-z]*)", re.IGNORECASE).fullmatch
_SIZE_UNITS = {
    "": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_ATOM = r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}|*+?^$])"
_COUNT = r"(?:[*+?]|\{[0-9]*,?[0-9]*\})"
_LITERALS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_REPETITION = re.compile(r"[*+{]|(?<!\()\?")
_REPEATED_GROUP = re.compile(r"\)[*+?{]").search
_SAME_TO_RE2 = re.compile(r"(?:(?!\{,|\[\[:)[\x20-\x7e])*").fullmatch
"""What means the same to RE2 if it understands it; `{,3}` and `[[:alpha:]]` mean something else there."""
_REPEATED_REPETITION = re.compile(
    rf"\((?:\?:|\?P<\w+>)?(?:{_ATOM}{_COUNT}\??)*{_ATOM}(?:[*+]|\{{[0-9]*,\}})\??(?:{_ATOM}{_COUNT}\??)*\)(?:[*+]|\{{[0-9]*,\}})"
).search
"""Groups in which everything is repeated or optional, repeated themselves: `(a+)+`, `(\\w*-?)*`."""


def include_rule(text: str) -> UrlRule:
    """The rule that takes in what the text describes."""
    return _parse_rule(RuleEffect.INCLUDE, text)


def exclude_rule(text: str) -> UrlRule:
    """The rule that leaves out what the text describes."""
    return _parse_rule(RuleEffect.EXCLUDE, text)


def _parse_rule(effect: RuleEffect, text: str) -> UrlRule:
    words = text.split()
    if not words:
        raise UsageError(f"an {effect} rule is empty: write one such as *.pdf or type:image/*")
    return UrlRule(effect, " ".join(words), tuple(_parse_condition(word) for word in words))


def _parse_condition(word: str) -> RuleCondition:
    kind, colon, value = word.partition(":")
    if colon and value and (read := _CONDITION_PARSERS.get(kind.lower())):
        return read(value, word)
    if colon and not value:
        raise UsageError(f"rule {word!r} says nothing after the colon: write one such as type:image/*")
    if "://" in word:
        return UrlCondition(word, WildcardStart.WHOLE)
    if word.startswith("/"):
        return UrlCondition(word, WildcardStart.PATH)
    if "/" not in word and "*" not in word:
        raise UsageError(f"rule {word!r} fits no URL: write host:{word}, {word}/* or *{word}*")
    return UrlCondition(word, WildcardStart.ADDRESS)


def _parse_host(value: str, _word: str) -> RuleCondition:
    return HostCondition(value)


def _parse_media_type(value: str, _word: str) -> RuleCondition:
    return MediaTypeCondition(value)


def _parse_surt(value: str, _word: str) -> RuleCondition:
    return SurtCondition(value)


def _parse_regex(value: str, word: str) -> RuleCondition:
    try:
        with warnings.catch_warnings():
            # What the expression could mean in later versions of the language is no concern of its writer.
            warnings.simplefilter("ignore")
            plain = re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"rule {word!r} is no regular expression ({error}): mend it or use wildcards") from error
    if _is_quick(value):
        return RegexCondition(plain)
    if linear := _linear_pattern(value):
        return RegexCondition(linear)
    if _REPEATED_REPETITION(value):
        raise UsageError(f"rule {word!r} repeats a repetition, which can take for ever: write it with one of them")
    return RegexCondition(plain)


def _is_quick(value: str) -> bool:
    """Whether the library's engine has at most one choice to come back to, which it makes in 0.4 µs and RE2 in 1.9.

    `bench.quick_paths` measures that; `test_rules_mean_what_the_expression_means_to_the_library` holds both to one
    meaning.
    """
    bare = _LITERALS.sub("x", value)
    return not _REPEATED_GROUP(bare) and len(_REPETITION.findall(bare)) <= 1


def _linear_pattern(value: str) -> LinearPattern | None:
    """The expression for RE2; None where that does not understand it, or something else by it."""
    try:
        return LinearPattern(value) if _SAME_TO_RE2(value) else None
    except UsageError:
        return None


def _parse_size(value: str, word: str) -> RuleCondition:
    match = _SIZE(value)
    unit = _SIZE_UNITS.get(match[3].lower()) if match else None
    if match is None or unit is None:
        raise UsageError(f"rule {word!r} is no size: write one such as size:>10MB or size:<=512KiB")
    return SizeCondition(match[1] or "=", round(float(match[2]) * unit))


_CONDITION_PARSERS = {
    "re": _parse_regex,
    "type": _parse_media_type,
    "size": _parse_size,
    "host": _parse_host,
    "surt": _parse_surt,
}
