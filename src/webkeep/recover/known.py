"""Archives known by name: short declarations, ours and those of the person who runs webkeep."""

from __future__ import annotations

import enum
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from webkeep.errors import UsageError
from webkeep.fetch.addresses import authority_of, is_loopback, names_private
from webkeep.recover.limits import Limit, Manners
from webkeep.recover.repositories.cdx_server import Paging
from webkeep.recover.repository_traits import Access, DateKind, Depth, Keeping, Spelling, Traits

INDEX, PLAYBACK = "index", "playback"
"""The pools of requests: those that ask what there is, and those that ask for it."""

_OURS = "known_archives.toml"
_GENTLE = {INDEX: ("30/minute", 2), PLAYBACK: ("4/second", 4)}
"""For archives whose limits nobody told."""
_KEYS = {
    "title", "aliases", "kind", "hosts", "index", "raw", "records", "timemap", "timegate", "paging", "page", "access",
    "depth", "dates", "delay-days", "limits", "keeps", "notes", "original", "size-cap", "listing-cap", "either-www",
    "either-case", "keeps-slash", "labels",
}  # fmt: skip
T = TypeVar("T", bound=enum.StrEnum)


class Kind(enum.StrEnum):
    """The languages that archives on the web speak."""

    CDX = "cdx"
    MEMENTO = "memento"
    COMMON_CRAWL = "common-crawl"


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is known of an archive on the web."""

    traits: Traits
    kind: Kind
    hosts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    index: str = ""
    raw: str = ""
    records: str = ""
    timemap: str = ""
    timegate: str = ""
    paging: Paging = Paging.AUTO
    page: int = 10_000
    manners: Mapping[str, Manners] = field(default_factory=dict)
    notes: str = ""
    labels: bool = True

    @property
    def name(self) -> str:
        """What it is called."""
        return self.traits.name

    def pool(self, name: str) -> Manners:
        """How one class of its addresses wants to be asked."""
        return self.manners.get(name) or gentle(self.name, name)


def gentle(name: str, pool: str, host: str = "") -> Manners:
    """How an archive is asked whose limits nobody told; one on this machine has none."""
    if names_private(host) and (is_loopback(host) or host.endswith("localhost")):
        return Manners(f"{name}/{pool}", rest_seconds=0.25)
    limit, at_once = _GENTLE[pool]
    return Manners(f"{name}/{pool}", (Limit.read(limit),), at_once)


def own_file() -> Path:
    """Where a person's own declarations are."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "webkeep" / "repositories.toml"


def known(own: Path | None = None) -> dict[str, Declaration]:
    """All archives known by name; those of a person's own file come first and overrule ours."""
    path = own if own is not None else own_file()
    if own is not None and (own.is_dir() or not own.exists()):
        raise UsageError(f"{own} {'is no file' if own.exists() else 'does not exist'}; name a file of declarations")
    mine = _read_own(path) if path.is_file() else {}
    return {**mine, **{name: each for name, each in _ours().items() if name not in mine}}


def named(text: str, declarations: Mapping[str, Declaration]) -> Declaration | None:
    """The archive of a name or of one of its other names."""
    wanted = text.strip().lower()
    for each in declarations.values():
        if wanted == each.name or wanted in each.aliases:
            return each
    return None


def at_host(host: str, declarations: Mapping[str, Declaration]) -> Declaration | None:
    """The archive that a host belongs to."""
    return next((each for each in declarations.values() if host in each.hosts), None)


@lru_cache(1)
def _ours() -> dict[str, Declaration]:
    text = files("webkeep.recover").joinpath(_OURS).read_text("utf-8")
    return dict(_declared(tomllib.loads(text), _OURS))


def _read_own(path: Path) -> dict[str, Declaration]:
    try:
        return dict(_declared(tomllib.loads(path.read_text("utf-8")), str(path)))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML ({error}); mend it") from error


def _declared(tables: Mapping[str, Any], source: str) -> Iterator[tuple[str, Declaration]]:
    for name, table in tables.items():
        where = f"{source}, [{name}]"
        if not isinstance(table, dict):
            raise UsageError(f"{source}: {name} is no table; write [{name}] and its lines below")
        unknown = sorted(set(table) - _KEYS)
        if unknown:
            raise UsageError(f"{where}: nothing is called {unknown[0]!r}; choose of {', '.join(sorted(_KEYS))}")
        yield name.lower(), _declaration(name.lower(), table, where)


def _declaration(name: str, table: Mapping[str, Any], where: str) -> Declaration:
    kind = _choice(Kind, table, "kind", Kind.CDX, where)
    addresses = {key: _address(table, key, where) for key in ("index", "raw", "records", "timemap", "timegate")}
    if kind is Kind.MEMENTO and not (addresses["timemap"] or addresses["timegate"]):
        raise UsageError(f"{where}: an archive that speaks Memento needs timemap or timegate; add one")
    if kind is not Kind.MEMENTO and not addresses["index"]:
        raise UsageError(f"{where}: an archive of kind {kind} needs the address of its index; add index")
    hosts = _texts(table, "hosts", where) or tuple(sorted({authority_of(each) for each in addresses.values() if each}))
    return Declaration(
        _traits(name, table, kind, where),
        kind,
        hosts,
        tuple(alias.lower() for alias in _texts(table, "aliases", where)),
        paging=_choice(Paging, table, "paging", Paging.AUTO, where),
        page=_number(table, "page", where) or 10_000,
        manners=dict(_manners(name, table, where)),
        notes=str(table.get("notes", "")),
        labels=bool(table.get("labels", True)),
        **addresses,
    )


def _traits(name: str, table: Mapping[str, Any], kind: Kind, where: str) -> Traits:
    return Traits(
        name,
        str(table.get("title", name)),
        _choice(Depth, table, "depth", Depth.DEEP, where),
        _choice(Access, table, "access", Access.LIGHT, where),
        _choice(DateKind, table, "dates", DateKind.CRAWL, where),
        lists=kind is not Kind.MEMENTO,
        lists_periods=kind is not Kind.MEMENTO,
        raw=bool(table.get("original", True)),
        listing_cap=_number(table, "listing-cap", where),
        listing_page=_number(table, "page", where) or 10_000,
        requests_per_resource=1,
        size_cap=_number(table, "size-cap", where),
        delay_days=_number(table, "delay-days", where) or 0,
        spelling=Spelling(
            bool(table.get("either-www", True)),
            bool(table.get("either-case", kind is not Kind.MEMENTO)),
            bool(table.get("keeps-slash", True)),
        ),
        keepings=_keepings(table.get("keeps", {}), where),
    )


def _keepings(told: object, where: str) -> dict[str, Keeping]:
    if not isinstance(told, dict):
        raise UsageError(f'{where}: keeps is no table; write keeps = {{ image = "converted" }}')
    return {str(kind): _choice(Keeping, told, kind, Keeping.ORIGINAL, where) for kind in told}


def _manners(name: str, table: Mapping[str, Any], where: str) -> Iterator[tuple[str, Manners]]:
    pools = table.get("limits", {})
    for pool, told in pools.items() if isinstance(pools, dict) else [("limits", pools)]:
        if pool not in _GENTLE or not isinstance(told, dict):
            raise UsageError(
                f'{where}: limits are for index and playback, as limits.index = {{ requests = "30/minute" }}'
            )
        limits = tuple(Limit.read(text) for text in _texts(told, "requests", where))
        rest = told.get("rest", 60)
        if not isinstance(rest, int | float) or rest < 0:
            raise UsageError(f"{where}: rest is a number of seconds")
        yield pool, Manners(f"{name}/{pool}", limits, _number(told, "at-once", where) or 0, float(rest))


def _texts(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise UsageError(f"{where}: {key} is a text or a list of texts, not {value!r}")
    return tuple(listed)


def _address(table: Mapping[str, Any], key: str, where: str) -> str:
    text = str(table.get(key, ""))
    wanted = {
        "raw": ("{timestamp}", "{url}"),
        "records": ("{filename}",),
        "timemap": ("{url}",),
        "timegate": ("{url}",),
    }
    if text and not text.startswith(("http://", "https://")):
        raise UsageError(f"{where}: {key} is no web address: {text!r}")
    for mark in wanted.get(key, ()):
        if text and mark not in text:
            raise UsageError(f"{where}: {key} lacks {mark}; write it where it belongs in the address")
    return text


def _choice(choices: type[T], table: Mapping[str, Any], key: str, default: T, where: str) -> T:
    try:
        return choices(table.get(key, default))
    except ValueError:
        listed = ", ".join(choices)
        raise UsageError(f"{where}: {key} cannot be {table[key]!r}; choose of {listed}") from None


def _number(table: Mapping[str, Any], key: str, where: str) -> int | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{where}: {key} is a number, not {value!r}")
    return value
