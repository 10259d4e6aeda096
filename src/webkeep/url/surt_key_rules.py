"""The complete rules of lookup keys (SURT, urlkey), bug for bug those of the indexes that web archives have: what
becomes of www, ports, spellings of IPv4 addresses, dot segments, session ids and the order of parameters.

A key is made of bytes: all escapes are decoded, over and over, then what is not plain ASCII is escaped once, and
all is lower-cased. Established tools disagree with browsers in many ways (hosts by IDNA 2003, any scheme beginning
with `http` looks for a host in its path, `..` at the root stays), and the keys in existing indexes are theirs.

Where those tools fail, this goes on: a port that is no number makes the whole URL the key (as cdxj-indexer has it),
text without a URL has the key `-`, lone surrogates count as U+FFFD, numeric hosts that are no address are kept and
not asked of the name service. And a key is always one word of ASCII, for it must fit on a line of an index.
"""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes

from webkeep.url import percent_escapes as escapes
from webkeep.url.whatwg_url import replace_surrogates

NO_KEY = "-"
"""What indexes write where there is no URL."""

_SPACE = " \t\n\r\x0b\x0c"
_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LINE_BREAKS_AND_TABS = dict.fromkeys(map(ord, "\n\r\t"))
_REPEATED_SCHEME = re.compile(r"(?:https?://)+(?=https?://)").match
_SPLIT = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.DOTALL).match
_NUMBERS = re.compile(r"[1-9][0-9]*(?:\.[0-9]+){1,3}|0[0-7]*(?:\.[0-7]+){1,3}").fullmatch
_DIGITS = re.compile(r"[0-9]+").fullmatch
_WWW = re.compile(r"www[0-9]*\.").match
_PATH_SESSIONS = (
    re.compile(r"(?<=/)\((?:[a-z]\([0-9a-z]{24}\))+\)/"),
    re.compile(r"(?<=/)\([0-9a-z]{24}\)/"),
)
_QUERY_SESSIONS = (
    re.compile(r"jsessionid=[0-9a-z]{32}(?:&|\Z)"),
    re.compile(r"phpsessid=[0-9a-z]{32}(?:&|\Z)"),
    re.compile(r"sid=[0-9a-z]{32}(?:&|\Z)"),
    re.compile(r"aspsessionid[a-z]{8}=[a-z]{24}(?:&|\Z)"),
)


def complete_surt(url: str) -> tuple[str, str]:
    """The key in two halves: the host's with its closing `)`, empty where there is none, and all that follows."""
    if url.startswith("filedesc"):
        return "", _quote_word(url)
    # From here on each character is a byte of the URL in UTF-8.
    text = replace_surrogates(url).encode().decode("latin-1").strip(_SPACE).translate(_LINE_BREAKS_AND_TABS)
    if not text:
        return "", NO_KEY
    scheme, authority, path, query = _split_text(text)
    host, port = _host_and_port(authority)
    if port is None:
        return "", _quote_word(url)
    if not host and path and scheme.startswith("http"):
        host, _, path = path.lstrip("/").partition("/")
        path = f"/{path}"
    host, path, query = _host_key(host), _decode_bytes(path), _query_key(query)
    if host:
        return f"{_reverse_host(scheme, host)}{_port_suffix(scheme, port)})", _path_key(_resolve_dots(path)) + query
    return "", f"{scheme}:{_path_key(path) or ('/' if query else '')}{query}"


def sort_parameters(query: str) -> str:
    """The query with its parameters sorted by name, then value."""
    # The lowest character in place of the sign lets a name sort before every longer one.
    return "&".join(sorted(query.split("&"), key=lambda each: each.replace("=", "\0", 1)))


def _split_text(text: str) -> tuple[str, str, str, str]:
    repeated = _REPEATED_SCHEME(text)
    if repeated:
        text = text[repeated.end() :]
    match = _SPLIT(text) or _SPLIT(f"http://{text}")
    scheme, authority, path, query = match.groups("") if match else ("", "", "", "")
    return scheme, authority, path, query


def _host_and_port(authority: str) -> tuple[str, int | None]:
    """Host and port, 0 where there is none, None where it is no number of a port."""
    address = authority.rstrip(":").rpartition("@")[2]
    _, bracket, inside = address.partition("[")
    if bracket:
        host, _, after = inside.partition("]")
        port = after.partition(":")[2]
    else:
        host, _, port = address.partition(":")
    significant = port.lstrip("0")
    if not significant:
        return host, 0
    if not _DIGITS(significant) or len(significant) > 5 or int(significant) > 65535:
        return host, None
    return host, int(significant)


def _host_key(text: str) -> str:
    host = _decode_bytes(text)
    if not host.isascii():
        host = _idna_host(host)
    host = host.replace("..", ".").strip(".")
    return _ipv4_address(host) or _encode_bytes(host)


def _idna_host(host: str) -> str:
    try:
        return host.encode("latin-1").decode("utf-8", "ignore").encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _ipv4_address(host: str) -> str | None:
    """An IPv4 address, written in whatever way, as four decimal numbers."""
    if _DIGITS(host):
        # 2 to the 32nd divides 10 to the 32nd, so more digits than these cannot count.
        number = int(host[-32:]) & 0xFFFFFFFF
    elif _NUMBERS(host):
        *heads, tail = (_address_number(part) for part in host.split("."))
        if any(head > 255 for head in heads) or tail >= 256 ** (4 - len(heads)):
            return None
        number = sum(head << (24 - 8 * place) for place, head in enumerate(heads)) + tail
    else:
        return None
    return ".".join(str(byte) for byte in number.to_bytes(4, "big"))


def _address_number(digits: str) -> int:
    """The value of decimal or, after a zero, octal digits; a number too large for an address where they are none."""
    significant = digits.lstrip("0")
    octal = len(significant) < len(digits)
    if len(significant) > 12 or (octal and not {"8", "9"}.isdisjoint(significant)):
        return 1 << 40
    return int(significant or "0", 8 if octal else 10)


def _reverse_host(scheme: str, host: str) -> str:
    www = None if scheme == "dns" else _WWW(host)
    return ",".join(reversed((host[www.end() :] if www else host).split(".")))


def _port_suffix(scheme: str, port: int) -> str:
    own = {"http": 80, "https": 443}.get(scheme.lower(), 0)
    return "" if port in {0, own} else f":{port}"


def _resolve_dots(path: str) -> str:
    """The path without empty and `.` segments, and each `..` taking its parent away where it has one."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == ".." and kept:
            kept.pop()
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join([each for each in kept[:-1] if each] + kept[-1:])


def _path_key(unescaped: str) -> str:
    path = _encode_bytes(unescaped)
    if "(" in path and ".aspx" in path:
        for session in _PATH_SESSIONS:
            path = _without_path_session(path, session)
    return path[:-1] if path.endswith("/") and len(path) > 1 else path


def _without_path_session(path: str, session: re.Pattern[str]) -> str:
    """The path less the last session segment that leads to an `.aspx` page with no `?` between."""
    end = len(path)
    while end >= 0:
        start = path.rfind("?", 0, end) + 1
        page = path.rfind(".aspx", start, end)
        segments = list(session.finditer(path, start, page - 1)) if page > start else []
        if segments:
            return path[: segments[-1].start()] + path[segments[-1].end() :]
        end = start - 1
    return path


def _query_key(text: str) -> str:
    """The query with its `?`, or nothing where nothing of it remains."""
    query = _encode_bytes(_decode_bytes(text))
    for session in _QUERY_SESSIONS:
        for last in list(session.finditer(query))[-1:]:
            query = query[: last.start()] + query[last.end() :]
    query = sort_parameters(_without_cold_fusion(query))
    return f"?{query}" if query else ""


def _without_cold_fusion(query: str) -> str:
    """The query less its last `cfid=…&cftoken=…`."""
    token = query.rfind("&cftoken=")
    while token >= 0:
        start = query.rfind("cfid=", query.rfind("&", 0, token) + 1, max(token - 1, 0))
        value = token + len("&cftoken=")
        if start >= 0 and query[value : value + 1] not in {"", "&"}:
            end = query.find("&", value)
            return query[:start] + (query[end + 1 :] if end >= 0 else "")
        token = query.rfind("&cftoken=", 0, token)
    return query


def _decode_bytes(text: str) -> str:
    return escapes.decode_escapes(text, escapes.EVERY_BYTE)


def _encode_bytes(text: str) -> str:
    return quote_from_bytes(text.encode("latin-1"), _SAFE).lower()


def _quote_word(url: str) -> str:
    return quote_from_bytes(replace_surrogates(url).strip(_SPACE).encode(), f"{_SAFE}%#")
