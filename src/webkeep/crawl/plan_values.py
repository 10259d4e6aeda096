"""From what a person wrote, on the command line or in a plan file, to a plan that was checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from webkeep.crawl.plan import HostPlan, Plan, Rate
from webkeep.errors import UsageError
from webkeep.fetch.credentials import split_credentials
from webkeep.fetch.settings import checked_header, checked_resolve
from webkeep.frontier.policy import RobotsMode
from webkeep.frontier.strategy import STRATEGIES
from webkeep.url import Extent, parse_seed
from webkeep.url.rule_text import exclude, include

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]?i?b?)", re.IGNORECASE).fullmatch
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(s|m|h|d|)", re.IGNORECASE).fullmatch
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}

Reader = Callable[[Any], Any]


def plan_of(values: Mapping[str, Any]) -> Plan:
    """The plan that named values make; a name that is none, or a value that cannot be, is told."""
    made: dict[str, Any] = {}
    rules: list[str] = []
    credentials: list[tuple[str, str, str]] = []
    rate = {"total": 0, "per_host": 0}
    for name, value in values.items():
        if name in _RULES:
            rules += [_RULES[name] + text for text in _checked_rules(name, _texts(value))]
        elif name == "seeds":
            made["seeds"] = tuple(_seeds(_texts(value), credentials))
        elif name == "rules":
            rules += signed_rules(_texts(value))
        elif name in _RATES:
            rate[_RATES[name]] = size_of(value)
        elif name == "robots":
            made.update(_robots(_texts(value)))
        elif name == "auth":
            credentials += [_auth(text) for text in _texts(value)]
        elif name == "hosts":
            made["hosts"] = {host: _host_plan(host, facts) for host, facts in _table(value, "hosts").items()}
        elif name in _READERS:
            made[name] = _read(name, value)
        else:
            raise UsageError(f"a plan has no {name!r}; it may have {', '.join(sorted(names()))}")
    made["rate"] = Rate(**rate)
    return Plan(**{"seeds": (), **made, "rules": tuple(rules), "credentials": tuple(credentials)})


def names() -> list[str]:
    """All names that a plan file may use."""
    return [*_READERS, *_RULES, *_RATES, "seeds", "rules", "robots", "auth", "hosts"]


def _read(name: str, value: Any) -> Any:
    try:
        return _READERS[name](value)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{name.replace('_', '-')} cannot be {value!r}; {error}") from error


def size_of(value: Any) -> int:
    """A number of bytes, as 5000 or 10MB."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE(str(value).strip())
    if match is None:
        raise UsageError(f"{value!r} is no size; write it as 5000, 500kB, 10MB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2].lower().removesuffix("b")])


def seconds_of(value: Any) -> float:
    """A number of seconds, as 2, 0.5, 90s, 10m or 2h."""
    match = _DURATION(str(value).strip()) if not isinstance(value, bool) else None
    if match is None:
        raise UsageError(f"{value!r} is no duration; write it as 2, 0.5, 90s, 10m or 2h")
    return float(match[1]) * _SECONDS[match[2].lower()]


def count_of(value: Any) -> int:
    """A whole number, at least 0."""
    if isinstance(value, bool) or (number := int(str(value).replace(",", "").replace("_", ""))) < 0:
        raise ValueError("give a whole number, 0 or more")
    return number


def _positive(value: Any) -> int:
    if (number := count_of(value)) < 1:
        raise ValueError("give a whole number, 1 or more")
    return number


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("give true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("give a text")
    return value


def _texts(value: Any) -> list[str]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise UsageError(f"{value!r} is no list of texts")
    return list(given)


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(each, Mapping) for each in value.values()):
        raise UsageError(f'{name} is no table; write it as [{name}."example.org"] with settings below')
    return value


def _seeds(texts: Iterable[str], credentials: list[tuple[str, str, str]]) -> Iterable[str]:
    for text in texts:
        bare, known = split_credentials(text.strip())
        url = bare if bare.startswith(("ftp://", "file://")) else parse_seed(bare)
        seed = str(getattr(url, "href", url)).partition("#")[0]
        if known is not None:
            credentials.append((_host_of(seed), known.user, known.password))
        yield seed


def _host_of(url: str) -> str:
    authority = url.partition("://")[2].partition("/")[0]
    return re.sub(r":[0-9]*\Z", "", authority)


def _checked_rules(name: str, texts: list[str]) -> list[str]:
    for text in texts:
        (include if name == "include" else exclude)(text)
    return texts


def signed_rules(texts: list[str]) -> list[str]:
    """Rules with `+` or `-` before them, made sure of."""
    for text in texts:
        if text[:1] not in "+-" or not text[1:].strip():
            raise UsageError(f"the rule {text!r} says neither + nor -; begin it with + to take in, - to leave out")
        _checked_rules("include" if text[0] == "+" else "exclude", [text[1:].strip()])
    return [text[0] + text[1:].strip() for text in texts]


def _robots(texts: list[str]) -> dict[str, Any]:
    """`obey` or `ignore` for all, and `PREFIX=ignore` for what begins so."""
    said: dict[str, Any] = {}
    prefixes: list[tuple[str, RobotsMode]] = []
    for text in texts:
        prefix, _, mode = text.rpartition("=")
        if mode not in set(RobotsMode):
            raise UsageError(f"--robots cannot be {text!r}; write obey, ignore, or URL-PREFIX=ignore")
        if prefix:
            prefixes.append((prefix, RobotsMode(mode)))
        else:
            said["robots"] = RobotsMode(mode)
    return {**said, "robots_prefixes": tuple(prefixes)} if prefixes else said


def _auth(text: str) -> tuple[str, str, str]:
    host, equals, rest = text.partition("=")
    user, colon, password = rest.partition(":")
    if not host or not equals or not colon:
        raise UsageError("not HOST=USER:PASSWORD; write it as example.org=reader:secret")
    return host.strip().lower(), user, password


def _host_plan(host: str, facts: Mapping[str, Any]) -> HostPlan:
    made: dict[str, Any] = {}
    for name, value in facts.items():
        reader = _HOST_READERS.get(name.replace("-", "_"))
        if reader is None:
            raise UsageError(f"host {host} has no {name!r}; it may have {', '.join(sorted(_HOST_READERS))}")
        try:
            made[name.replace("-", "_")] = reader(value)
        except (ValueError, TypeError) as error:
            raise UsageError(f"{name} of host {host} cannot be {value!r}; {error}") from error
    return HostPlan(**made)


def _headers(value: Any) -> tuple[tuple[str, str], ...]:
    given = [f"{name}: {text}" for name, text in value.items()] if isinstance(value, Mapping) else _texts(value)
    return tuple(checked_header(text) for text in given)


def _extent(value: Any) -> Extent:
    if value not in set(Extent):
        raise ValueError(f"it may be {', '.join(Extent)}")
    return Extent(value)


def _strategy(value: Any) -> str:
    if value not in STRATEGIES:
        raise ValueError(f"it may be {', '.join(STRATEGIES)}")
    return str(value)


def _mode(value: Any) -> RobotsMode:
    if value not in set(RobotsMode):
        raise ValueError(f"it may be {', '.join(RobotsMode)}")
    return RobotsMode(value)


def _budget(value: Any) -> int | None:
    return None if value in ("none", "off") else count_of(value)


_RULES = {"include": "+", "exclude": "-"}
_RATES = {"max_rate": "total", "max_rate_per_host": "per_host"}
_READERS: dict[str, Reader] = {
    "scope": _extent,
    "requisites": _flag,
    "depth": count_of,
    "external_depth": count_of,
    "max_urls": _positive,
    "max_bytes": size_of,
    "max_seconds": seconds_of,
    "max_urls_per_host": _positive,
    "max_size": size_of,
    "strategy": _strategy,
    "delay": seconds_of,
    "connections": _positive,
    "connections_per_host": _positive,
    "timeout": seconds_of,
    "retries": count_of,
    "requisites_exempt": _flag,
    "trap_budget": _budget,
    "probe": _flag,
    "user_agent": _text,
    "resolve": lambda value: tuple(checked_resolve(text) for text in _texts(value)),
    "proxy": _text,
    "cookies": _text,
    "save_cookies": _text,
    "headers": _headers,
    "insecure": _flag,
    "certificate_authorities": _text,
    "client_certificate": _text,
    "client_key": _text,
    "http2": _flag,
    "ipv6": _flag,
    "redact": _flag,
}
_HOST_READERS: dict[str, Reader] = {
    "delay": seconds_of,
    "robots": _mode,
    "connections": _positive,
    "max_urls": _positive,
    "include": lambda value: tuple(_checked_rules("include", _texts(value))),
    "exclude": lambda value: tuple(_checked_rules("exclude", _texts(value))),
    "headers": _headers,
}
