"""From what a person wrote, on the command line or in a plan file, to a plan that was checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from webkeep.crawl.plan import HostPlan, Plan, Rate, Subsites
from webkeep.crawl.plan_files import authorities_of, check_client, cookies_of, file_of, login_folder, rates_of
from webkeep.crawl.plan_readers import (
    browsing_of,
    budget_of,
    count_of,
    extent_of,
    flag,
    mode_of,
    positive,
    proxy_of,
    purpose_of,
    seconds_of,
    size_of,
    strategy_of,
    subsites_of,
    target_of,
    texts_of,
    words_of,
)
from webkeep.crawl.strategies import coherent_strategy
from webkeep.errors import UsageError
from webkeep.fetch.credentials import Credentials, split_credentials
from webkeep.fetch.settings import checked_header, checked_resolve
from webkeep.frontier.policy import RobotsMode
from webkeep.redaction import secrecy_of
from webkeep.url import normal, parse_seed
from webkeep.url.rule_text import exclude, include

_AUTH_HOST = re.compile(r"[^\s/@:\[\]]+(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?").fullmatch

Reader = Callable[[Any], Any]


def plan_of(values: Mapping[str, Any]) -> Plan:
    """The plan that named values make; a name that is none, or a value that cannot be, is told."""
    made: dict[str, Any] = {}
    rules: list[str] = []
    credentials: list[tuple[str, str, str]] = []
    rate = {"total": 0, "per_host": 0}
    for name, value in values.items():
        if name in _RULES:
            rules += [_RULES[name] + text for text in _checked_rules(name, _named(name, texts_of, value))]
        elif name == "seeds":
            made["seeds"] = tuple(_seeds(_named(name, texts_of, value), credentials))
        elif name == "rules":
            rules += signed_rules(_named(name, texts_of, value))
        elif name in _RATES:
            rate[_RATES[name]] = _named(name, size_of, value)
        elif name == "robots":
            made.update(_robots(_named(name, texts_of, value)))
        elif name == "auth":
            credentials += [_auth(text) for text in _named(name, texts_of, value)]
        elif name == "hosts":
            made["hosts"] = {host.lower(): _host_plan(host, facts) for host, facts in _table(value, "hosts").items()}
        elif name == "for":
            if "strategy" in values:
                raise UsageError("--for chooses a strategy, and --strategy names another; leave one of them out")
            made["strategy"] = _named(name, purpose_of, value)
        elif name in _READERS:
            made[name] = _named(name, _READERS[name], value)
        else:
            raise UsageError(f"a plan has no {name.replace('_', '-')!r}; {_meant_instead(name, names())}")
    made["rate"] = Rate(**rate)
    check_client(made.get("client_certificate", ""), made.get("client_key", ""))
    _check_coherence(made)
    if made.get("fill"):
        made.setdefault("states", 1)  # what is typed is something done to a page
    return Plan(**{"seeds": (), **made, "rules": tuple(rules), "credentials": tuple(credentials)})


def _check_coherence(made: Mapping[str, Any]) -> None:
    """What is only for captures that are to be coherent is not passed over in silence."""
    if coherent_strategy(made.get("strategy", "breadth-first")) is None:
        for name in ("rates", "subsites"):
            if made.get(name, Subsites.NONE) not in ("", Subsites.NONE):
                raise UsageError(f"--{name} is for captures that are to be coherent; add --for evidence or exploring")


def names() -> list[str]:
    """All names that a plan file may use."""
    return [*_READERS, *_RULES, *_RATES, "seeds", "rules", "for", "robots", "auth", "hosts"]


def _meant_instead(name: str, known: Iterable[str]) -> str:
    """Which name was meant, if one is near; else all that there are."""
    shown = sorted(each.replace("_", "-") for each in known)
    near = get_close_matches(name.replace("_", "-"), shown, 1)
    return f"did you mean {near[0]}?" if near else f"it may have {', '.join(shown)}"


def _named(name: str, read: Reader, value: Any) -> Any:
    """What a reader makes of a value; what it finds wrong is told with the name."""
    shown = name.replace("_", "-")
    try:
        return read(value)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{shown} cannot be {value!r}; {error}") from error
    except UsageError as error:
        raise UsageError(f"{shown}: {error}") from error


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(each, Mapping) for each in value.values()):
        raise UsageError(f'{name} is no table; write it as [{name}."example.org"] with settings below')
    return value


def _seeds(texts: Iterable[str], credentials: list[tuple[str, str, str]]) -> Iterable[str]:
    for text in texts:
        seed, known = read_seed(text)
        if known is not None:
            credentials.append((_host_of(seed), known.user, known.password))
        yield seed


def read_seed(text: str) -> tuple[str, Credentials | None]:
    """A seed as a person wrote it: its URL, and the name and password that stood in it."""
    bare, known = split_credentials(text.strip())
    return _file_seed(bare) if bare.lower().startswith(("ftp:", "file:")) else parse_seed(bare), known


def _file_seed(text: str) -> str:
    """A seed that is no web page: a file or directory of an FTP server or of this machine."""
    href = normal(text)
    if href is None or "://" not in href or href in ("ftp:///", "file:///"):
        raise UsageError(f"not a place: {text[:200]!r}; write ftp://example.org/pub/ or file:///srv/site/")
    return href.partition("#")[0]


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
        if mode not in set(RobotsMode) or (prefix and not prefix.startswith(("http://", "https://"))):
            raise UsageError(f"--robots cannot be {text!r}; write obey, ignore, or https://example.org/pub/=ignore")
        if prefix:
            prefixes.append((prefix, RobotsMode(mode)))
        else:
            said["robots"] = RobotsMode(mode)
    return {**said, "robots_prefixes": tuple(prefixes)} if prefixes else said


def _auth(text: str) -> tuple[str, str, str]:
    host, equals, rest = text.partition("=")
    user, colon, password = rest.partition(":")
    if not _AUTH_HOST(host.strip()) or not equals or not colon:
        raise UsageError("auth: not HOST=USER:PASSWORD; write it as example.org=reader:secret, or example.org:8080=…")
    return host.strip().lower(), user, password


def _host_plan(host: str, facts: Mapping[str, Any]) -> HostPlan:
    made: dict[str, Any] = {}
    for name, value in facts.items():
        known = name.replace("-", "_")
        if known not in _HOST_READERS:
            raise UsageError(f"host {host} has no {name!r}; {_meant_instead(name, _HOST_READERS)}")
        made[known] = _named(f"{name} of host {host}", _HOST_READERS[known], value)
    return HostPlan(**made)


def _headers(value: Any) -> tuple[tuple[str, str], ...]:
    given = [f"{name}: {text}" for name, text in value.items()] if isinstance(value, Mapping) else texts_of(value)
    return tuple(checked_header(text) for text in given)


def _allowed(value: Any) -> tuple[str, ...]:
    return tuple(_checked_rules("include", texts_of(value)))


def _fillings(value: Any) -> tuple[tuple[str, str], ...]:
    """What is typed into fields; passwords are not."""
    given = [f"{name}={text}" for name, text in value.items()] if isinstance(value, Mapping) else texts_of(value)
    made = []
    for text in given:
        name, equals, typed = text.partition("=")
        if not equals or not name.strip() or not typed:
            raise UsageError(f"not FIELD=VALUE: {name.strip()!r}; name a field by name, id or label, as q=harbour")
        if secrecy_of(name.strip()) is not None:
            raise UsageError(f"{name.strip()!r} is for a secret, which would end in the archive; use webkeep login")
        made.append((name.strip(), typed))
    return tuple(made)


_RULES = {"include": "+", "exclude": "-"}
_RATES = {"max_rate": "total", "max_rate_per_host": "per_host"}
_READERS: dict[str, Reader] = {
    "scope": extent_of,
    "requisites": flag,
    "depth": count_of,
    "external_depth": count_of,
    "max_urls": positive,
    "max_bytes": size_of,
    "max_seconds": seconds_of,
    "max_urls_per_host": positive,
    "max_size": size_of,
    "strategy": strategy_of,
    "subsites": subsites_of,
    "rates": rates_of,
    "sitemaps": flag,
    "conditional": flag,
    "delay": seconds_of,
    "connections": positive,
    "connections_per_host": positive,
    "timeout": seconds_of,
    "retries": count_of,
    "requisites_exempt": flag,
    "trap_budget": budget_of,
    "probe": flag,
    "user_agent": words_of,
    "contact": words_of,
    "resolve": lambda value: tuple(checked_resolve(text) for text in texts_of(value)),
    "proxy": proxy_of,
    "cookies": cookies_of,
    "save_cookies": target_of,
    "headers": _headers,
    "insecure": flag,
    "certificate_authorities": authorities_of,
    "client_certificate": file_of,
    "client_key": file_of,
    "http2": flag,
    "ipv6": flag,
    "redact": flag,
    "browser": browsing_of,
    "states": count_of,
    "allow_post": _allowed,
    "fill": _fillings,
    "screenshots": flag,
    "full_page": flag,
    "tabs": positive,
    "page_seconds": seconds_of,
    "page_states": positive,
    "page_requests": positive,
    "browser_seconds": seconds_of,
    "browser_states": positive,
    "browser_requests": positive,
    "browser_program": words_of,
    "browser_profile": login_folder,
}
_HOST_READERS: dict[str, Reader] = {
    "delay": seconds_of,
    "robots": mode_of,
    "connections": positive,
    "max_urls": positive,
    "max_size": size_of,
    "timeout": seconds_of,
    "include": lambda value: tuple(_checked_rules("include", texts_of(value))),
    "exclude": lambda value: tuple(_checked_rules("exclude", texts_of(value))),
    "headers": _headers,
}
