"""Secrets in files of a server (source, configuration, dumps), found so that they are not published: what shows itself
by its shape, values under names of the one list of credentials, and columns of passwords in dumps.

Nothing is said of what a secret is, only where: the line, and the kind. A bare word behind a name is a secret in files
of settings, where nothing else could be meant, and the name of a variable in source code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webkeep.redaction.names.credential_names import may_hold_credentials, secrecy_of
from webkeep.redaction.secret_columns import SecretColumns
from webkeep.redaction.secret_shapes import find_shape, is_secret

_MAX_LINE_BYTES = 64 << 10
"""Longer lines are looked at in pieces."""
_MORE_HINTS = (
    b"$",
    b"akia",
    b"private",
    b"aiza",
    b"sg.",
    b"{s",
    b"{m",
    b"{c",
    b"scram",
    b"md5",
    b"*",
    b"hooks.",
    b"-p",
)
"""What lines with secrets have in them beside the syllables of credentials."""
# Names begin where words do, or each letter of a long word is tried.
_QUOTED_VALUE = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,80}+)['\"]?\]?\s{0,8}(?:=>|:=|[:=,])\s{0,8}(?:[a-zA-Z]{0,2}['\"])([^'\"\s]{3,200})['\"]"
)
_BARE_VALUE = re.compile(
    r"\s{0,40}(?:export |set |- )?([A-Za-z_][\w.-]{0,80}+)\s{0,8}[:=]\s{0,8}([^\s'\"(){}\[\],;<>]{4,200});?\s*\Z"
)
_SETTING = re.compile(
    r"\s{0,40}(?:export |set |- |//)?([A-Za-z_/][\w./:-]{0,120}?)(?:\s{0,8}(?:=|(?<!/):)\s{0,8}|[ \t]{1,40})"
    r"(?:(['\"])(.{3,200}?)\2|([^\s'\"#;]{3,200}));?\s*(?:#.*)?\Z"
)
"""A line of a file of settings: a name, a value with or without quotes."""
_REFERENCE = re.compile(r"\$|%|[A-Za-z_]+(?:\.[A-Za-z_]+)*\Z|(?:true|false|null|none|yes|no)\Z", re.IGNORECASE)
"""A value that only names where the secret is."""
_PATH = re.compile(r"(?:\.{0,2}/|~/|file:)")
"""A value that is a file's name: the secret is in there."""
_SETTINGS_ENDINGS = (
    ".env",
    ".ini",
    ".cfg",
    ".conf",
    ".cnf",
    ".properties",
    ".yml",
    ".yaml",
    ".toml",
    ".config",
    ".npmrc",
    ".pypirc",
)
_SETTINGS_NAMES = re.compile(r"\.env(?:\..+)?|\.?(?:my\.cnf|npmrc|pypirc|s3cfg|boto|credentials)|config|environment")
_SPOKEN = frozenset({"locale", "locales", "i18n", "l10n", "lang", "langs", "translations", "languages"})
"""Folders of files in which names of settings are words for people."""
_SECRET_SETTINGS = frozenset({"requirepass", "masterauth", "app_key"})
"""Names of secrets in settings of Redis and Laravel, which mean nothing elsewhere."""
_PGPASS_NAMES = frozenset({".pgpass", "pgpass.conf"})
_PGPASS_LINE = re.compile(r"(?:(?:\\.|[^:\\#])(?:\\.|[^:\\])*:){4}\S{3,}")
_KEY_STORE_ENDINGS = (".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk")
"""Files that are made to hold private keys or passwords, and show nothing of it."""


def find_secrets(chunks: Iterable[bytes], path: str = "") -> Iterator[tuple[int, str]]:
    """Lines of a file that hold a secret, counted from 1, and of which kind; its path tells what is in it."""
    folders, _, name = path.lower().rpartition("/")
    if name.endswith(_KEY_STORE_ENDINGS):
        yield 1, "a store of keys"
        return
    is_settings, is_pgpass = _is_settings_file(folders, name), name in _PGPASS_NAMES
    columns = SecretColumns()
    for number, line in _split_lines(chunks):
        if is_pgpass and _PGPASS_LINE.match(line.decode("utf-8", "replace")):
            yield number, "a password"
            continue
        if may_hold_credentials(line, _MORE_HINTS):
            kind = _secret_kind(line.decode("utf-8", "replace"), is_settings)
            if kind:
                yield number, kind
                continue
        if declared := columns.look_at(number, line):
            yield declared, "a column of passwords"


def _is_settings_file(folders: str, name: str) -> bool:
    is_spoken = not _SPOKEN.isdisjoint(folders.split("/"))
    return not is_spoken and (name.endswith(_SETTINGS_ENDINGS) or _SETTINGS_NAMES.fullmatch(name) is not None)


def _secret_kind(line: str, is_settings: bool) -> str:
    kind = find_shape(line)
    if kind:
        return kind
    if any(is_secret(name, value) for name, value in _QUOTED_VALUE.findall(line)):
        return "a credential"
    if is_settings:
        return "a credential" if _is_secret_setting(line) else ""
    bare = _BARE_VALUE.match(line)
    if bare is not None and not _REFERENCE.match(bare[2]) and is_secret(bare[1], bare[2]):
        return "a credential"
    return ""


def _is_secret_setting(line: str) -> bool:
    setting = _SETTING.match(line)
    if setting is None:
        return False
    name, value = setting[1].rpartition(":")[2], setting[3] or setting[4]
    if name.lower() in _SECRET_SETTINGS:
        return not value.startswith("$")
    if value[0] in "$%{<" or _PATH.match(value) or name.lower() == value.lower():
        return False
    return secrecy_of(name) is not None and is_secret(name, value)


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
