"""Secrets in files of a server (source, configuration, dumps), found so that they are not published: private keys,
tokens that show what they are, passwords in URLs and their hashes, values under names of the one list of credentials.

Nothing is said of what a secret is, only where: the line, and the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webkeep.redaction.credential_shapes import hide_shapes
from webkeep.redaction.names.credential_names import may_hold_credentials, secrecy_of

_MAX_LINE_BYTES = 64 << 10
"""Longer lines are looked at in pieces."""
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|AGE-SECRET-KEY-1[0-9A-Z]{20}")
_URL_PASSWORD = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"]{1,80}:(?![$<{*]|%s)[^\s/:@'\"]{2,200}@", re.IGNORECASE
)
_PASSWORD_HASH = re.compile(
    r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{50}|\$argon2(?:id|i|d)\$|\$[156]\$[^\s$]{1,20}\$[./A-Za-z0-9]{20}"
    r"|pbkdf2_sha\d{1,3}\$\d+\$|scrypt:\d+:\d+:\d+\$"
)
_AMAZON_KEY = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")
_QUOTED_VALUE = re.compile(
    r"([A-Za-z_][\w.-]{0,80}+)['\"]?\]?\s{0,8}(?:=>|:=|[:=,])\s{0,8}(?:[a-zA-Z]{0,2}['\"])([^'\"\s]{3,200})['\"]"
)
_BARE_VALUE = re.compile(
    r"\s{0,40}(?:export |set |- )?([A-Za-z_][\w.-]{0,80}+)\s{0,8}[:=]\s{0,8}([^\s'\"(){}\[\],;<>]{4,200});?\s*\Z"
)
_REFERENCE = re.compile(r"\$|%|[A-Za-z_]+(?:\.[A-Za-z_]+)*\Z|(?:true|false|null|none|yes|no)\Z", re.IGNORECASE)
"""A value that only names where the secret is."""
_PLACEHOLDER = re.compile(
    r"[*.xX_-]+\Z|\$|\{|<|%[({sd]|(?:password|secret|changeme|example|none|null|token)\Z", re.IGNORECASE
)
"""A value that stands for one."""


def find_secrets(chunks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Lines of a file that hold a secret, counted from 1, and of which kind."""
    for number, line in _split_lines(chunks):
        if may_hold_credentials(line) or b"PRIVATE" in line or b"$" in line or b"AKIA" in line or b"ASIA" in line:
            kind = _secret_kind(line.decode("utf-8", "replace"))
            if kind:
                yield number, kind


def _secret_kind(line: str) -> str:
    if _PRIVATE_KEY.search(line):
        return "a private key"
    if _AMAZON_KEY.search(line) or hide_shapes(line, "")[1]:
        return "a token"
    if _URL_PASSWORD.search(line):
        return "a password in a URL"
    if _PASSWORD_HASH.search(line):
        return "the hash of a password"
    if any(_is_secret(name, value) for name, value in _QUOTED_VALUE.findall(line)):
        return "a credential"
    bare = _BARE_VALUE.match(line)
    if bare is not None and not _REFERENCE.match(bare[2]) and _is_secret(bare[1], bare[2]):
        return "a credential"
    return ""


def _is_secret(name: str, value: str) -> bool:
    test = secrecy_of(name)
    return test is not None and not _PLACEHOLDER.match(value) and test(value)


def _split_lines(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    held, number = b"", 1
    for chunk in chunks:
        lines = (held + chunk).split(b"\n")
        held = lines.pop()
        for line in lines:
            yield number, line[:_MAX_LINE_BYTES]
            number += 1
        while len(held) > _MAX_LINE_BYTES:
            yield number, held[:_MAX_LINE_BYTES]
            held = held[_MAX_LINE_BYTES // 2 :]
    if held:
        yield number, held
