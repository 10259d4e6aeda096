"""Why a server could not be reached, in words for people; programs and fates keep what the network said."""

from __future__ import annotations

import re

_FAILURE_WORDS = (
    (re.compile(r"\bname-not-resolved\b"), "no host of that name was found"),
    (re.compile(r"\bcannot-connect\b"), "nobody listens there"),
    (
        re.compile(r"\btls: .*(wrong version|unexpected eof|packet length|http request|record layer)", re.IGNORECASE),
        "it does not speak TLS; try http://",
    ),
)
_ATTEMPTS = re.compile(r", asked [0-9]+ times")


def describe_failure(reason: str) -> str:
    """A reason as a person would tell it; as it is where there is nothing simpler."""
    words = next((words for sign, words in _FAILURE_WORDS if sign.search(reason)), "")
    times = _ATTEMPTS.search(reason)
    return f"{words}{times[0] if times else ''}" if words else reason
