"""Addresses: text read, normalized and joined as a browser does (the WHATWG URL standard, through ada), in its parts;
seeds typed without http://, queries in a page's own charset, and the longest text that is a URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ada_url import join_url, normalize_url as ada_normalize_url

from webkeep.errors import UsageError

# What a URL says of where it lies on its site.


def first_directory(url: str) -> str:
    """The first directory of a URL, such as `https://example.org/news/`; its site where it lies in none."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    first, slash, _ = path.partition("?")[0].partition("#")[0].partition("/")
    return f"{scheme}://{authority}/{first}/" if slash and first else f"{scheme}://{authority}/"


def is_robots_url(url: str) -> bool:
    """Whether it is where a site keeps its rules for robots."""
    return url.endswith("/robots.txt") and url.count("/") == 3


def is_urn(url: str) -> bool:
    """Whether it is the name of something made beside pages (RFC 8141), such as their pictures, and leads nowhere."""
    return url[:4].lower() == "urn:"


MAX_URL_CHARS = 2 * 1024 * 1024
"""Longer text is no URL here, as in browsers."""

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_NORMAL_URL = re.compile(
    r"([a-z][a-z0-9+.-]*):(?://(?:([^/?#@]*)@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d+))?)?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL
)
# Digits after the colon are a port: `localhost:8080`.
_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?![0-9])", re.IGNORECASE)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_LEGACY_QUERY_SCHEMES = ("http:", "https:", "ftp:", "file:")


@dataclass(frozen=True, slots=True)
class Url:
    """A URL and its parts, all in the spelling a browser gives them."""

    href: str
    scheme: str
    userinfo: str
    host: str
    """In lower case and ASCII, an IPv6 address in its brackets; empty where the scheme knows no host."""
    port: int | None
    """None where it is the scheme's own."""
    path: str
    query: str
    """With its `?`, so that an empty query and none stay apart."""
    fragment: str
    """With its `#`."""

    @property
    def effective_port(self) -> int | None:
        """The port to connect to."""
        return _DEFAULT_PORTS.get(self.scheme) if self.port is None else self.port

    @property
    def authority(self) -> str:
        """Host and port as a Host field has them."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    @property
    def target(self) -> str:
        """Path and query as a request line has them."""
        return self.path + self.query

    def __str__(self) -> str:
        return self.href


def normalize_url(text: str) -> str | None:
    """The text as a browser would spell it, or None where it is no absolute URL."""
    if len(text) > MAX_URL_CHARS:
        return None
    try:
        return ada_normalize_url(text)
    except ValueError:
        mended = replace_surrogates(text)
        return None if mended == text else normalize_url(mended)


def resolve_url(base: str, ref: str, encoding: str = "utf-8") -> str | None:
    """Where a browser would go from the page `base` for the link text `ref`; None where it would go nowhere.

    `encoding` is the page's own: browsers spell characters beyond ASCII in a query with its bytes.
    """
    if len(ref) > MAX_URL_CHARS:
        return None
    if encoding != "utf-8" and not ref.isascii():
        ref = _encode_query(base, ref, encoding)
    try:
        return join_url(base, ref)
    except ValueError:
        return _resolve_without_surrogates(base, ref)


def parse_url(text: str) -> Url:
    """Read an absolute URL; a text that is none is an error of the caller."""
    href = normalize_url(text)
    if href is None:
        raise UsageError(f"not a URL: {_shorten(text)}; write it in full, as in https://example.org/page")
    return split_url(href)


def split_url(href: str) -> Url:
    """The parts of a URL that `normalize_url` or `resolve_url` gave."""
    match = _NORMAL_URL.fullmatch(href)
    if match is None:
        raise UsageError(f"not a URL in its normal form: {_shorten(href)}; read it with parse first")
    scheme, userinfo, host, port, path, query, fragment = match.groups("")
    return Url(href, scheme, userinfo, host, int(port[:5]) if port else None, path, query, fragment)


def parse_seed(text: str) -> str:
    """Read a web address as a person types it, where `http://` may be missing, and give its normal form."""
    stripped = text.strip()
    href = normalize_url(stripped if _HAS_SCHEME.match(stripped) else f"http://{stripped}")
    if href is None or not href.startswith(("http://", "https://")):
        raise UsageError(f"not a web address: {_shorten(text)}; write example.org or https://example.org/page")
    return href.partition("#")[0]


def replace_surrogates(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD, as browsers do before they read a URL."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _resolve_without_surrogates(base: str, ref: str) -> str | None:
    mended_base, mended_ref = replace_surrogates(base), replace_surrogates(ref)
    if (mended_base, mended_ref) == (base, ref):
        return None
    try:
        return join_url(mended_base, mended_ref)
    except ValueError:
        return None


def _encode_query(base: str, ref: str, encoding: str) -> str:
    before, hash_sign, fragment = ref.partition("#")
    head, mark, query = before.partition("?")
    if not mark or query.isascii():
        return ref
    # The encoding counts for these schemes alone, and which scheme it is shows only after joining.
    joined = resolve_url(base, ref)
    if joined is None or not joined.startswith(_LEGACY_QUERY_SCHEMES):
        return ref
    if encoding.lower().replace("-", "").startswith(("utf", "ucs")):
        return ref
    try:
        spelled = _BEYOND_ASCII.sub(lambda run: _encode_characters(run[0], encoding), replace_surrogates(query))
    except (LookupError, ValueError):
        return ref
    return f"{head}?{spelled}{hash_sign}{fragment}"


def _encode_characters(text: str, encoding: str) -> str:
    try:
        data = text.encode(encoding)
    except UnicodeError:
        # What the encoding lacks is spelled as a character reference, percent-encoded.
        return (
            f"%26%23{ord(text)}%3B" if len(text) == 1 else "".join(_encode_characters(char, encoding) for char in text)
        )
    return "".join(chr(byte) if 0x20 < byte < 0x7F and byte not in b"\"#'<>" else f"%{byte:02X}" for byte in data)


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 200 else text[:200] + "…")
