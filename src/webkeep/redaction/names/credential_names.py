"""The one list of what is a credential: which words in names of fields and parameters make their values secret
(password, token, session, CSRF, API key, OTP, in many languages), and which exceptions there are.

Names are judged by their words, whatever joins them (`user[password]`, `newPassword1`, `X-Access-Token`), after all
escapes were undone. Whether a value is left out may hang on the value too: `signature=` before a sentence signs a
letter, and `has_password=true` tells nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

# A first look: whether there could be a credential in some bytes. Most lines of heads have none, and this says so.
#
# Whatever is on the list of names has one of a few syllables in it, and what hides a name is an escape, or a letter
# that
# is not of ASCII. Only what has one of these is taken apart.

# Alternatives that begin with different letters are searched six times as fast.
_CREDENTIAL_HINT = re.compile(
    rb"p(?:ass|w|sw|in|sk|rotocol|arola)|s(?:ecret|ess|ig|aml|id|so|enha|rf|alasana|ifre|andi)|t(?:oken|icket|fa)"
    rb"|a(?:uth|ssert)|c(?:ookie|v[vcn]|red|ode|ontras|lave)|k(?:ey|ennw|_live|odeord)|otp|j(?:wt|elsz)|h(?:mac|aslo|eslo)"
    rb"|b(?:earer|asic)|n(?:once|egotiate)|verif|d(?:pop|epasse)|eyj|wacht|g(?:h[pousr]_|lpat)|xox|zenid|oscsid|m(?:fa|dp)"
    rb"|losenord|%|@"
)


def may_hold_credentials(data: bytes, words: tuple[bytes, ...] = ()) -> bool:
    """Whether a syllable of the list of credentials is there, or a word, or anything that could hide one."""
    if not data.isascii():
        return True
    lowered = data.lower()
    return _CREDENTIAL_HINT.search(lowered) is not None or any(word in lowered for word in words)


ValueTest = Callable[[str], bool]
"""Says of a value whether it is secret, under a name that may have a secret."""

CREDENTIAL_HEADERS = frozenset(
    {
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2", "dpop",
        "authentication-info", "proxy-authentication-info", "x-amzn-oidc-data", "cf-access-jwt-assertion",
        "x-api-key", "x-auth-token", "x-auth-key", "x-access-token", "x-csrf-token", "x-xsrf-token",
        "x-vault-token", "private-token", "x-goog-api-key", "x-session-id", "api-key", "apikey",
        "ocp-apim-subscription-key", "x-functions-key", "x-amz-security-token",
    }
)  # fmt: skip
"""Fields of heads that say who someone is; others are known by the words in their names."""

_MAX_NAME_CHARS = 300
"""What a longer name ends with decides."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_SECRET_STEM = re.compile(
    r"passw(?!ordless)|passphrase|passcode|pswd|kennwort|contrase[nñ]a|motdepasse|wachtwoord|senha$|пароль"
    r"|has[lł]o|heslo|l[oö]senord|kodeord|salasana|jelsz[oó]|[sş]ifre|passord$|katasandi|密码|密碼|パスワード|비밀번호|secret(?!ar|ion|ly)|credential|(?:api|private|access|secret|auth)key"
    r"|^pwd|pwd$|(?:user|usr|ftp|db|my|login|new|old|admin|root|smtp|mail|txt)pass$"
)
"""What makes any word secret that it is in."""
_SECRET_SPELLING = re.compile(r"password|passwort|passwd|passphrase|passcode").search
"""The same where capitals say nothing of where words begin."""
_SECRET_LAST_WORDS = frozenset(
    {
        "pass", "pin", "pincode", "otp", "totp", "hotp", "cvv", "cvc", "cvn", "pw", "psw", "jwt", "sig", "bearer",
        "csrf", "xsrf", "csrftoken", "wpnonce", "sesskey", "phpsessid", "jsessionid", "sessid", "sessionid",
        "cftoken", "zenid", "oscsid", "hmac", "mfa", "tfa", "samlresponse", "assertion", "verifier", "authorization",
        "auth", "sso", "psk", "mdp", "clave", "parola",
    }
)  # fmt: skip
"""Words that are secret where a name ends with them."""
_BEFORE_KEY = frozenset(
    {
        "api", "access", "secret", "private", "auth", "session", "sess", "encryption", "decryption", "signing",
        "master", "account", "subscription", "function", "functions", "consumer", "shared", "storage", "sas",
        "recovery", "security", "token", "service", "server", "admin", "write", "deploy", "apim",
    }
)  # fmt: skip
_BEFORE_CODE = frozenset(
    {
        "auth", "authorization", "verification", "security", "pin", "pass", "otp", "totp", "sms", "reset",
        "activation", "login", "access", "recovery", "backup", "mfa", "tfa", "card", "fa", "oob",
    }
)  # fmt: skip
_HARMLESS_BEFORE = {
    "pass": frozenset(
        {"boarding", "season", "bus", "day", "ski", "travel", "low", "high", "band", "render", "fail", "multi"}
    ),
    "clave": frozenset({"palabra", "palabras"}),
    "pin": frozenset({"map", "push", "drop", "location", "marker"}),
    "token": frozenset(
        {
            "page", "next", "previous", "prev", "continuation", "cursor", "scroll", "skip", "sync", "resume",
            "design", "color", "colour", "syntax", "start", "starting", "paging", "pagination", "be",
        }
    ),
}  # fmt: skip
"""Words before one that make something else of it: a page token says where a list goes on."""
_DESCRIPTIVE_ENDINGS = frozenset(
    {
        "type", "types", "expires", "expire", "expiry", "expiration", "exp", "in", "at", "required", "enabled",
        "disabled", "length", "len", "strength", "policy", "url", "uri", "endpoint", "count", "counter", "limit",
        "limits", "min", "max", "error", "errors", "valid", "invalid", "status", "changed", "updated", "created",
        "age", "method", "algorithm", "alg", "format", "version", "rule", "rules", "help", "title", "label",
        "placeholder", "page", "form", "link", "manager", "list", "prompt", "only", "protected", "name", "names",
        "budget", "usage", "used", "size", "index", "visible", "shown", "hidden", "allowed", "supported",
    }
)  # fmt: skip
"""What a name ends with that tells something of a secret, not the secret."""
_SECRET_ENDINGS = frozenset(
    {
        "confirm", "confirmation", "again", "repeat", "repeated", "retype", "verify", "check", "new", "old",
        "current", "hash", "md", "sha", "encrypted", "value", "val", "input", "string", "str", "number", "raw",
    }
)  # fmt: skip
"""What stands behind a secret's own name."""
_QUESTION_WORDS = frozenset(
    {
        "has", "is", "show", "hide", "forgot", "forgotten", "lost", "toggle", "use", "uses", "require", "requires",
        "needs", "allow", "enable", "disable", "remember", "with", "can", "should", "want", "wants", "change",
    }
)  # fmt: skip
"""What a name begins with that is a question, to be answered by yes or no."""
_PUBLIC_IN_RESPONSES = frozenset(
    {"sig", "signature", "hmac", "pass", "pin", "auth", "sso", "verifier", "psk", "mfa", "pw"}
)
"""Words that are no credentials in the heads of responses, where signatures are for everyone to check."""

_SWITCH_VALUES = frozenset(
    {"", "true", "false", "yes", "no", "on", "off", "null", "none", "undefined", "nil", "required", "optional"}
    | {"include", "omit", "same-origin", "enabled", "disabled", "basic", "digest", "bearer", "oauth", "oauth2", "saml"}
    | {"redacted", "[redacted]", "%5bredacted%5d"}
)  # fmt: skip
_RANDOM_VALUE = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_\-+/=.~:%]{16,}").fullmatch
_CAS_TICKET = re.compile(r"(?:ST|PT|TGT|PGT)-\S+").fullmatch
_ASSIGNMENT = re.compile(r"[^\s=;]+=\S+").match


def secrecy_of(name: str) -> ValueTest | None:
    """What says of the values of a decoded name whether they are secret; None where none of them is."""
    return _secrecy_of(name) if len(name) <= _MAX_NAME_CHARS else _secrecy_of(name[-_MAX_NAME_CHARS:])


def url_secrecy_of(name: str) -> ValueTest | None:
    """The same for a parameter of a URL: pages are told apart by these, and short names mean many things."""
    return _url_secrecy_of(name[-_MAX_NAME_CHARS:])


@lru_cache(4096)
def _url_secrecy_of(name: str) -> ValueTest | None:
    test = _secrecy_of(name)
    if test is not is_meaningful:
        return test
    words = _split_words(name)
    if len(words) > 1 and any(word == "secret" for word in words[:-1]) and words[-1] not in _SECRET_PARTS:
        return _unless_small
    return _URL_WORD_TESTS.get(words[-1] if words else "", test)


def header_secrecy_of(name: str, in_response: bool = False) -> ValueTest | None:
    """The same for a field of a head."""
    lowered = name.strip().lower()
    if lowered in CREDENTIAL_HEADERS:
        return is_meaningful
    words = _split_words(lowered)
    if in_response and words and words[-1] in _PUBLIC_IN_RESPONSES:
        return None
    return secrecy_of(lowered)


@lru_cache(4096)
def _secrecy_of(name: str) -> ValueTest | None:
    plain = _strip_invisible(unicodedata.normalize("NFKC", name))
    if "[" in plain:
        for segment in plain.replace("]", "").split("["):
            if (test := _secrecy_of_words(_split_words(segment)) or _secrecy_of_letters(segment)) is not None:
                return test
    return _secrecy_of_words(_split_words(plain)) or _secrecy_of_letters(plain)


def _strip_invisible(name: str) -> str:
    """A name without what nobody sees in it."""
    if name.isprintable():
        return name
    return "".join(char for char in name if unicodedata.category(char) not in ("Cc", "Cf"))


def _secrecy_of_letters(name: str) -> ValueTest | None:
    """What a name says whose capitals are anywhere, as in `PaSsWoRd`."""
    words, capitalised = _LETTERS.findall(name.casefold()), _split_words(name)
    if not words or words == capitalised or capitalised[-1] in _DESCRIPTIVE_ENDINGS:
        return None
    return (
        is_meaningful
        if any(map(_SECRET_SPELLING, words)) or words[-1] in _SECRET_LAST_WORDS or words[-1] == "token"
        else None
    )


def _split_words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name)]


def _secrecy_of_words(words: list[str]) -> ValueTest | None:
    if not words or words[-1] in _DESCRIPTIVE_ENDINGS or (words[-1] == "id" and words[-2:-1] == ["token"]):
        return None
    test = _secrecy_of_stems(words) or _secrecy_of_last(words)
    return _unless_switched if test is not None and words[0] in _QUESTION_WORDS else test


def _secrecy_of_stems(words: list[str]) -> ValueTest | None:
    joined = "".join(words)  # words of other letters are cut where theirs begin
    is_secret = any(map(_SECRET_STEM.search, words)) or "motdepasse" in joined or "katasandi" in joined
    return is_meaningful if is_secret or (not joined.isascii() and _SECRET_STEM.search(joined)) else None


def _secrecy_of_last(words: list[str]) -> ValueTest | None:
    kept = list(words)
    while len(kept) > 1 and kept[-1] in _SECRET_ENDINGS:
        kept.pop()
    last, before = kept[-1], frozenset(kept[:-1])
    if last in _VALUE_WORD_TESTS:
        return _VALUE_WORD_TESTS[last]
    if last in _SECRET_LAST_WORDS or last.startswith("aspsessionid"):
        return None if before & _HARMLESS_BEFORE.get(last, frozenset()) else is_meaningful
    if last.endswith("token"):
        others = _HARMLESS_BEFORE["token"]
        return None if before & others or last.removesuffix("token") in others else is_meaningful
    if (last == "key" and before & _BEFORE_KEY) or (last == "code" and before & _BEFORE_CODE):
        return is_meaningful
    is_session = last == "id" and kept[-2:-1] in (["session"], ["sess"])
    return is_meaningful if is_session or (last == "response" and "saml" in before) else None


def is_meaningful(value: str) -> bool:
    """Whether a value tells anything: not where it is empty, a switch, or left out already."""
    return value.strip().lower() not in _SWITCH_VALUES


def _unless_switched(value: str) -> bool:
    return is_meaningful(value) and value.strip() not in {"0", "1"}


def _unless_prose(value: str) -> bool:
    return is_meaningful(value) and not any(char.isspace() for char in value.strip())


def _if_random(value: str) -> bool:
    return _RANDOM_VALUE(value) is not None


def _if_ticket(value: str) -> bool:
    return _CAS_TICKET(value) is not None


def _if_assigned(value: str) -> bool:
    return is_meaningful(value) and _ASSIGNMENT(value) is not None


def _unless_small(value: str) -> bool:
    return is_meaningful(value) and _SMALL(value.strip()) is None


def _unless_number(value: str) -> bool:
    return is_meaningful(value) and _SHORT_NUMBER(value.strip()) is None


def _if_code(value: str) -> bool:
    return is_meaningful(value) and _NO_CODE(value.strip()) is None


def _unless_word(value: str) -> bool:
    return is_meaningful(value) and _PLAIN_WORD(value.strip()) is None


_SECRET_PARTS = (
    frozenset({"key", "token", "code", "access", "value", "hash", "word", "phrase", "answer", "secret"})
    | _SECRET_ENDINGS
)
_SMALL = re.compile(r"[0-9]{1,4}|..?").fullmatch
_SHORT_NUMBER = re.compile(r"[0-9]{1,3}").fullmatch
_NO_CODE = re.compile(r"[0-9]{1,3}|[A-Za-z]{1,8}").fullmatch
_PLAIN_WORD = re.compile(r"(?=.{1,12}\Z)(?:[0-9]{1,3}|[A-Za-z]?[a-z]*(?:[-_][a-z]+)*)").fullmatch
_URL_WORD_TESTS: dict[str, ValueTest] = {
    **dict.fromkeys(("pass", "pw", "psw", "mdp", "clave", "parola"), _unless_number),
    **dict.fromkeys(("pin", "pincode", "otp", "totp", "hotp", "mfa", "tfa"), _if_code),
    **dict.fromkeys(("auth", "csrf", "xsrf", "sig", "sso", "assertion", "verifier", "psk", "hmac"), _unless_word),
    "accesskey": _unless_small,
}
"""Words that are secret in a URL by what stands behind them: `pass=2` is the second, `pin=3` is on a map."""

_VALUE_WORD_TESTS: dict[str, ValueTest] = {
    "signature": _unless_prose,
    "session": _if_random,
    "sess": _if_random,
    "sid": _if_random,
    "tokens": _if_random,
    "ticket": _if_ticket,
    "cookie": _if_assigned,
    "cookies": _if_assigned,
}
"""Words that are secret by what stands behind them."""
