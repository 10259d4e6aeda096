"""Lines of files that show by their shape that a secret is in them: private keys, tokens of services, hashes of
passwords, and passwords where programs and formats have them (URLs, XML, SQL, command lines, netrc files).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from webkeep.redaction.credential_shapes import hide_shapes
from webkeep.redaction.names.credential_names import secrecy_of

_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-1[0-9A-Z]{20}|\bPuTTY-User-Key-File-\d:"
)
_SERVICE_TOKEN = re.compile(
    r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}\b|AIza[0-9A-Za-z_-]{35}|SG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{30,}"
    r"|npm_[0-9A-Za-z]{36}|github_pat_\w{30,}|do[opr]_v1_[0-9a-f]{40,}|gls[abc]_\w{30,}|hf_[0-9A-Za-z]{30,}"
    r"|sk-(?:[a-z]{3,8}\d{0,3}-)?[0-9A-Za-z_-]{32,}|ya29\.[0-9A-Za-z_-]{30,}|whsec_[0-9A-Za-z+/]{30,}"
    r"|hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,})"
)
# Passwords in URLs are all but names of variables, which are filled in elsewhere.
_URL_PASSWORD = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"]{1,80}:(?![$<{*]|%s)[^\s/:@'\"]{2,200}@", re.IGNORECASE
)
_PASSWORD_HASH = re.compile(
    r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{50}|\$argon2(?:id|i|d)\$"  # bcrypt, Argon2
    r"|\$(?:[156]|sha1|md5|apr1)(?:\$rounds=\d+)?\$[^\s$]{1,20}\$[./A-Za-z0-9]{20}"  # crypt, htpasswd
    r"|\$g?y\$[./A-Za-z0-9]{1,20}\$[./A-Za-z0-9]{1,90}\$[./A-Za-z0-9]{40}"  # yescrypt
    r"|\$[PHS]\$[./0-9A-Za-z]{31,56}(?![./0-9A-Za-z])"  # phpass, Drupal
    r"|pbkdf2[_:]sha\d{1,3}[$:]\d+\$|scrypt:\d+:\d+:\d+\$"  # of Python
    r"|\b(?:sha1|md5|sha256)\$[^\s$]{1,40}\$[0-9a-f]{32}"
    r"|\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}[A-Za-z0-9+/.$]{20}"  # LDAP, htpasswd
    r"|SCRAM-SHA-256\$\d+:|['\":\t]md5[0-9a-f]{32}\b|['\"]\*[0-9A-F]{40}['\"]"  # PostgreSQL, MySQL
)
_NO_LITERAL = r"(?![$<{%*`]|\.\.\.)"
"""What a value begins with that is put in elsewhere, or that stands for one."""
_COMMAND_PASSWORD = re.compile(
    rf"\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH)=(['\"]?){_NO_LITERAL}[^\s'\"]{{3,}}"
    rf"|\b(?:mysql|mariadb)[a-z-]{{0,12}}\s(?:[^'\"#|]{{0,200}}\s)?-p(['\"]?){_NO_LITERAL}[^\s'\"]{{3,}}"
    rf"|\s--(?:http-|proxy-)?(?:password|passwd|pass)=(['\"]?){_NO_LITERAL}[^\s'\"]{{3,}}"
    rf"|\bcurl\s(?:[^'\"#|]{{0,200}}\s)?(?:-u|--user)[ =]?(['\"]?)[^\s:'\"]{{1,80}}:{_NO_LITERAL}[^\s'\"]{{3,}}"
    rf"|\bsshpass\s+-p\s?(['\"]?){_NO_LITERAL}[^\s'\"]{{3,}}"
)
_SQL_PASSWORD = re.compile(
    rf"\b(?:role|user)\b[^;]{{1,200}}?\b(?:identified\s+(?:with\s+\S+\s+)?(?:by|as)|password)\s+(?:password\s+)?e?"
    rf"['\"]{_NO_LITERAL}[^'\"\s]{{3,}}['\"]",
    re.IGNORECASE,
)
_NETRC_PASSWORD = re.compile(rf"\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+{_NO_LITERAL}\S{{3,}}")
_XML_ELEMENT = re.compile(
    r"<(?:[\w-]{1,20}:)?([A-Za-z][\w.-]{0,80})(?:\s[^<>]{0,200})?>\s{0,8}([^<>\s]{3,200})\s{0,8}</"
)
_XML_SETTING = re.compile(
    r"\b(?:name|key)\s?=\s?['\"]([^'\"<>]{1,80})['\"]\s{1,8}value\s?=\s?['\"]([^'\"\s]{3,200})['\"]"
)
_FORM_FIELD = re.compile(r"<(?:input|option|button|select|label)\b", re.IGNORECASE)
"""Elements whose names and values are those of a form for visitors."""
_PLACEHOLDER = re.compile(
    r"[*.xX_-]+\Z|[$<@]|[{\[]|%[({sd%]|(?:your|my|the|some|enter|insert|change|replace)[_ -]?\w"
    r"|(?:password|passwd|passwort|secret|changeme|example|none|null|token)\Z",
    re.IGNORECASE,
)
"""A value that stands for one."""


def is_secret(name: str, value: str) -> bool:
    """Whether a value is one that should not be published, by its name and by what it is."""
    test = secrecy_of(name)
    return test is not None and not _PLACEHOLDER.match(value) and test(value)


def find_shape(line: str) -> str:
    """What kind of secret shows itself in a line; "" where none does."""
    for hints, kind, has in _SHAPES:
        if any(hint in line for hint in hints) and has(line):
            return kind
    return ""


def _has_named_value(line: str) -> bool:
    """Whether XML gives a password, as an element or as a pair of attributes."""
    if any(is_secret(name, value) for name, value in _XML_ELEMENT.findall(line)):
        return True
    return _FORM_FIELD.search(line) is None and any(
        is_secret(name, value) for name, value in _XML_SETTING.findall(line)
    )


def _has_shape(line: str) -> bool:
    return hide_shapes(line, "")[1] > 0


_Test = Callable[[str], object]
_SHAPES: tuple[tuple[tuple[str, ...], str, _Test], ...] = (
    (("PRIVATE", "AGE-SECRET", "PuTTY"), "a private key", _KEY.search),
    (
        ("AKIA", "ASIA", "AIza", "SG.", "npm_", "_pat_", "_v1_", "gls", "hf_", "sk-", "ya29", "whsec", "hooks."),
        "a token",
        _SERVICE_TOKEN.search,
    ),
    (("",), "a token", _has_shape),
    (("://",), "a password in a URL", _URL_PASSWORD.search),
    (("$", "{S", "{M", "{C", "SCRAM", "md5", "*"), "the hash of a password", _PASSWORD_HASH.search),
    ((" -p", "PGPASS", "MYSQL_", "SSHPASS", "REDISCLI", " --", "curl"), "a password", _COMMAND_PASSWORD.search),
    (("PASSWORD", "password", "IDENTIFIED", "identified"), "a password", _SQL_PASSWORD.search),
    (("machine", "default"), "a password", _NETRC_PASSWORD.search),
    (("</", "value"), "a credential", _has_named_value),
)
"""What each has in it, its kind, and what tells."""
