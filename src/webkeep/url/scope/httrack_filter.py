"""HTTrack's filters as scope rules: `+*.gif -*/cgi/*` made into regular expressions in the order in which they count,
and what the sets behind a star mean, such as `*[file]` and `*[a-z]`.

A pattern stands for the whole address without its scheme. `*` is any characters; in brackets behind it stands which:

=====================  ======================================================================
`*[file]`, `*[name]`   those of a file name: no slash, question mark or semicolon
`*[path]`              those of a path: no question mark or semicolon
`*[param]`             a query, or nothing
`*[a-z,0-9,_]`         these characters and ranges of them; a backslash takes the next as it is
`*[]`                  nothing may follow
=====================  ======================================================================
"""

from __future__ import annotations

import re

from webkeep.errors import UsageError

_NAMED_SETS = {"file": r"[^/?;]*", "name": r"[^/?;]*", "path": r"[^?;]*", "param": r"(?:\?.*)?", "": "$"}
_PART = re.compile(r"\*\[((?:[^\]\\]|\\.)*)\]|\*|[^*]", re.DOTALL)
_CHARACTERS = re.compile(r"\\(.)|(.)-(.)|([^,])", re.DOTALL)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def rules_from_filters(text: str) -> list[str]:
    """The rules that filters make, each behind its sign, in the order in which they count."""
    return [f"{word[0]}re:{_filter_regex(word)}" for word in map(_check_sign, text.split())]


def _check_sign(word: str) -> str:
    if word[0] not in "+-" or len(word) < 2:
        raise UsageError(f"{word!r} is no filter: write one such as +*.gif or -*/cgi/*")
    return word


def _filter_regex(word: str) -> str:
    """A regular expression for the pattern of a filter; without spaces, as rules are parted by them."""
    scheme = _SCHEME.match(word, 1)
    start = re.escape(scheme[0]) if scheme else "[a-z][a-z0-9+.-]*://"
    pattern = word[scheme.end() if scheme else 1 :]
    if pattern.startswith(("*[<", "*[>")):
        raise UsageError(f"{word!r} is about a size: write size:<10kB with --include or --exclude")
    return f"(?i)^{start}{''.join(map(_part_regex, _PART.finditer(pattern)))}$"


def _part_regex(match: re.Match[str]) -> str:
    which = match[1]
    if which is None:
        return ".*" if match[0] == "*" else re.escape(match[0])
    if which.lower() in _NAMED_SETS:
        return _NAMED_SETS[which.lower()]
    return f"[{''.join(_character_range(found) for found in _CHARACTERS.finditer(which))}]*"


def _character_range(match: re.Match[str]) -> str:
    if match[2] is not None:
        first, last = sorted((match[2], match[3]))
        return f"{_escape_character(first)}-{_escape_character(last)}"
    return _escape_character(match[1] or match[4])


def _escape_character(char: str) -> str:
    return re.escape(char) if not char.isalnum() else char
