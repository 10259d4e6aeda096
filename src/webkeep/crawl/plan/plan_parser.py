"""From what a person wrote, on the command line or in a plan file, to a checked plan: which names there are and which
parser each has, and how seeds, rules, `--robots`, `--auth` and tables of hosts are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from webkeep.crawl.plan.capture_plan import ByteRate, CapturePlan, HostPlan, Subsites
from webkeep.crawl.plan.plan_files import (
    check_authorities_file,
    check_client_certificate,
    check_cookie_file,
    check_file,
    check_login_folder,
    check_rates_file,
    check_weights_file,
)
from webkeep.crawl.plan.site_sources import (
    check_applications,
    check_dumps,
    check_folder,
    check_program,
    check_site_folders,
    parse_application,
)
from webkeep.crawl.plan.strategies import coherent_strategy
from webkeep.crawl.plan.value_parsers import (
    parse_browser_mode,
    parse_budget,
    parse_count,
    parse_extent,
    parse_flag,
    parse_lease_place,
    parse_line,
    parse_new_file,
    parse_positive,
    parse_proxy_url,
    parse_purpose,
    parse_robots_mode,
    parse_seconds,
    parse_size,
    parse_strategy,
    parse_subsites,
    parse_texts,
)
from webkeep.errors import UsageError
from webkeep.fetch import Credentials, parse_header, parse_resolve, split_credentials
from webkeep.frontier.policy import RobotsMode
from webkeep.redaction.names import secrecy_of
from webkeep.url import normalize_url, parse_seed
from webkeep.url.scope import exclude_rule, include_rule

_match_auth_host = re.compile(r"[^\s/@:\[\]]+(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?").fullmatch

ValueParser = Callable[[Any], Any]


def parse_plan(values: Mapping[str, Any]) -> CapturePlan:
    """The plan that named values make; a name that is none, or a value that cannot be, is told."""
    made: dict[str, Any] = {}
    rules: list[str] = []
    credentials: list[tuple[str, str, str]] = []
    rate = {"total": 0, "per_host": 0}
    for name, value in values.items():
        if name in _RULE_SIGNS:
            rules += [_RULE_SIGNS[name] + text for text in _check_rules(name, _parse_named(name, parse_texts, value))]
        elif name == "seeds":
            made["seeds"] = tuple(_parse_seeds(_parse_named(name, parse_texts, value), credentials))
        elif name == "rules":
            rules += parse_signed_rules(_parse_named(name, parse_texts, value))
        elif name in _RATE_FIELDS:
            rate[_RATE_FIELDS[name]] = _parse_named(name, parse_size, value)
        elif name == "robots":
            made.update(_parse_robots(_parse_named(name, parse_texts, value)))
        elif name == "auth":
            credentials += [_parse_auth(text) for text in _parse_named(name, parse_texts, value)]
        elif name == "hosts":
            made["hosts"] = {
                host.lower(): _parse_host_plan(host, facts) for host, facts in _check_table(value, "hosts").items()
            }
        elif name == "for":
            if "strategy" in values:
                raise UsageError("--for chooses a strategy, and --strategy names another; leave one of them out")
            made["strategy"] = _parse_named(name, parse_purpose, value)
        elif name in _PARSERS:
            made[name] = _parse_named(name, _PARSERS[name], value)
        else:
            raise UsageError(f"a plan has no {name.replace('_', '-')!r}; {_suggest_name(name, plan_names())}")
    made["rate"] = ByteRate(**rate)
    check_client_certificate(made.get("client_certificate", ""), made.get("client_key", ""))
    _check_coherence(made)
    _check_application(made)
    if made.get("fill"):
        made.setdefault("states", 1)  # what is typed is something done to a page
    return CapturePlan(**{"seeds": (), **made, "rules": tuple(rules), "credentials": tuple(credentials)})


def _check_coherence(made: Mapping[str, Any]) -> None:
    """What is only for captures that are to be coherent is not passed over in silence."""
    if coherent_strategy(made.get("strategy", "breadth-first")) is None:
        for name in ("rates", "weights", "subsites"):
            if made.get(name, Subsites.NONE) not in ("", Subsites.NONE):
                raise UsageError(f"--{name} is for captures that are to be coherent; add --for evidence or exploring")


def _check_application(made: Mapping[str, Any]) -> None:
    """What says how an application is started is not passed over in silence where none is."""
    starts_any = any(parse_application(text).is_module for text in made.get("app", ()))
    for name in ("app_dir", "app_python"):
        if made.get(name) and not starts_any:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} is for an application that is started; give --app as module:attribute")


def plan_names() -> list[str]:
    """All names that a plan file may use."""
    return [*_PARSERS, *_RULE_SIGNS, *_RATE_FIELDS, "seeds", "rules", "for", "robots", "auth", "hosts"]


def _suggest_name(name: str, known: Iterable[str]) -> str:
    """Which name was meant, if one is near; else all that there are."""
    shown = sorted(each.replace("_", "-") for each in known)
    near = get_close_matches(name.replace("_", "-"), shown, 1)
    return f"did you mean {near[0]}?" if near else f"it may have {', '.join(shown)}"


def _parse_named(name: str, read: ValueParser, value: Any) -> Any:
    """What a reader makes of a value; what it finds wrong is told with the name."""
    shown = name.replace("_", "-")
    try:
        return read(value)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{shown} cannot be {value!r}; {error}") from error
    except UsageError as error:
        raise UsageError(f"{shown}: {error}") from error


def _check_table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(each, Mapping) for each in value.values()):
        raise UsageError(f'{name} is no table; write it as [{name}."example.org"] with settings below')
    return value


def _parse_seeds(texts: Iterable[str], credentials: list[tuple[str, str, str]]) -> Iterable[str]:
    for text in texts:
        seed, known = parse_seed_text(text)
        if known is not None:
            credentials.append((_host_without_port(seed), known.user, known.password))
        yield seed


def parse_seed_text(text: str) -> tuple[str, Credentials | None]:
    """A seed as a person wrote it: its URL, and the name and password that stood in it."""
    bare, known = split_credentials(text.strip())
    return _parse_file_seed(bare) if bare.lower().startswith(("ftp:", "file:")) else parse_seed(bare), known


def _parse_file_seed(text: str) -> str:
    """A seed that is no web page: a file or directory of an FTP server or of this machine."""
    href = normalize_url(text)
    if href is None or "://" not in href or href in ("ftp:///", "file:///"):
        raise UsageError(f"not a place: {text[:200]!r}; write ftp://example.org/pub/ or file:///srv/site/")
    return href.partition("#")[0]


def _host_without_port(url: str) -> str:
    authority = url.partition("://")[2].partition("/")[0]
    return re.sub(r":[0-9]*\Z", "", authority)


def _check_rules(name: str, texts: list[str]) -> list[str]:
    for text in texts:
        (include_rule if name == "include" else exclude_rule)(text)
    return texts


def parse_signed_rules(texts: list[str]) -> list[str]:
    """Rules with `+` or `-` before them, made sure of."""
    for text in texts:
        if text[:1] not in "+-" or not text[1:].strip():
            raise UsageError(f"the rule {text!r} says neither + nor -; begin it with + to take in, - to leave out")
        _check_rules("include" if text[0] == "+" else "exclude", [text[1:].strip()])
    return [text[0] + text[1:].strip() for text in texts]


def _parse_robots(texts: list[str]) -> dict[str, Any]:
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


def _parse_auth(text: str) -> tuple[str, str, str]:
    host, equals, rest = text.partition("=")
    user, colon, password = rest.partition(":")
    if not _match_auth_host(host.strip()) or not equals or not colon:
        raise UsageError("auth: not HOST=USER:PASSWORD; write it as example.org=reader:secret, or example.org:8080=…")
    return host.strip().lower(), user, password


def _parse_host_plan(host: str, facts: Mapping[str, Any]) -> HostPlan:
    made: dict[str, Any] = {}
    for name, value in facts.items():
        known = name.replace("-", "_")
        if known not in _HOST_PARSERS:
            raise UsageError(f"host {host} has no {name!r}; {_suggest_name(name, _HOST_PARSERS)}")
        made[known] = _parse_named(f"{name} of host {host}", _HOST_PARSERS[known], value)
    return HostPlan(**made)


def _parse_headers(value: Any) -> tuple[tuple[str, str], ...]:
    given = [f"{name}: {text}" for name, text in value.items()] if isinstance(value, Mapping) else parse_texts(value)
    return tuple(parse_header(text) for text in given)


def _parse_allowed(value: Any) -> tuple[str, ...]:
    return tuple(_check_rules("include", parse_texts(value)))


def _parse_fillings(value: Any) -> tuple[tuple[str, str], ...]:
    """What is typed into fields; passwords are not."""
    given = [f"{name}={text}" for name, text in value.items()] if isinstance(value, Mapping) else parse_texts(value)
    made = []
    for text in given:
        name, equals, typed = text.partition("=")
        if not equals or not name.strip() or not typed:
            raise UsageError(f"not FIELD=VALUE: {name.strip()!r}; name a field by name, id or label, as q=harbour")
        if secrecy_of(name.strip()) is not None:
            raise UsageError(f"{name.strip()!r} is for a secret, which would end in the archive; use webkeep login")
        made.append((name.strip(), typed))
    return tuple(made)


_RULE_SIGNS = {"include": "+", "exclude": "-"}
_RATE_FIELDS = {"max_rate": "total", "max_rate_per_host": "per_host"}
_PARSERS: dict[str, ValueParser] = {
    "scope": parse_extent,
    "requisites": parse_flag,
    "depth": parse_count,
    "external_depth": parse_count,
    "max_urls": parse_positive,
    "max_bytes": parse_size,
    "max_seconds": parse_seconds,
    "max_urls_per_host": parse_positive,
    "max_size": parse_size,
    "strategy": parse_strategy,
    "subsites": parse_subsites,
    "rates": check_rates_file,
    "weights": check_weights_file,
    "sitemaps": parse_flag,
    "conditional": parse_flag,
    "delay": parse_seconds,
    "connections": parse_positive,
    "connections_per_host": parse_positive,
    "timeout": parse_seconds,
    "retries": parse_count,
    "requisites_exempt": parse_flag,
    "trap_budget": parse_budget,
    "probe": parse_flag,
    "user_agent": parse_line,
    "contact": parse_line,
    "resolve": lambda value: tuple(parse_resolve(text) for text in parse_texts(value)),
    "proxy": parse_proxy_url,
    "cookies": check_cookie_file,
    "save_cookies": parse_new_file,
    "headers": _parse_headers,
    "insecure": parse_flag,
    "certificate_authorities": check_authorities_file,
    "client_certificate": check_file,
    "client_key": check_file,
    "http2": parse_flag,
    "ipv6": parse_flag,
    "redact": parse_flag,
    "browser": parse_browser_mode,
    "states": parse_count,
    "allow_post": _parse_allowed,
    "fill": _parse_fillings,
    "screenshots": parse_flag,
    "full_page": parse_flag,
    "tabs": parse_positive,
    "page_seconds": parse_seconds,
    "page_states": parse_positive,
    "page_requests": parse_positive,
    "browser_seconds": parse_seconds,
    "browser_states": parse_positive,
    "browser_requests": parse_positive,
    "browser_program": parse_line,
    "browser_profile": check_login_folder,
    "app": check_applications,
    "app_dir": check_folder,
    "app_python": check_program,
    "files": check_site_folders,
    "dump": check_dumps,
    "job": parse_line,
    "public_only": parse_flag,
    "share_hosts": parse_lease_place,
    "held_in": lambda value: tuple(check_folder(text) for text in parse_texts(value)),
}
_HOST_PARSERS: dict[str, ValueParser] = {
    "delay": parse_seconds,
    "robots": parse_robots_mode,
    "connections": parse_positive,
    "max_urls": parse_positive,
    "max_size": parse_size,
    "timeout": parse_seconds,
    "include": lambda value: tuple(_check_rules("include", parse_texts(value))),
    "exclude": lambda value: tuple(_check_rules("exclude", parse_texts(value))),
    "headers": _parse_headers,
}
