"""Archives known by name: short declarations in TOML, ours and those of the person who runs webkeep; what may be said
in one, and the limits of archives that nobody told any of.
"""

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
from webkeep.fetch import authority_of, is_loopback, is_private_name
from webkeep.recover.politeness.rate_limits import RateLimit, RepositoryPoliteness
from webkeep.recover.repositories.cdx_server import CdxPaging
from webkeep.recover.repositories.repository_traits import (
    DateKind,
    KeptForm,
    RepositoryAccess,
    RepositoryTraits,
    UrlSpelling,
    VersionDepth,
)

INDEX_POOL, PLAYBACK_POOL, SAVE_POOL = "index", "playback", "save"
"""The pools of requests: those that ask what there is, those that ask for it, and those that ask for a capture."""

_BUILTIN_FILE = "known_archives.toml"
_DEFAULT_LIMITS = {INDEX_POOL: ("30/minute", 2), PLAYBACK_POOL: ("4/second", 4), SAVE_POOL: ("3/minute", 1)}
"""For archives whose limits nobody told."""
_KEYS = {
    "title", "aliases", "kind", "hosts", "index", "raw", "records", "timemap", "timegate", "paging", "page", "access",
    "depth", "dates", "delay-days", "limits", "keeps", "notes", "original", "size-cap", "listing-cap", "either-www",
    "either-case", "keeps-slash", "labels", "save",
}  # fmt: skip
T = TypeVar("T", bound=enum.StrEnum)


class RepositoryKind(enum.StrEnum):
    """The languages that archives on the web speak."""

    CDX = "cdx"
    MEMENTO = "memento"
    COMMON_CRAWL = "common-crawl"


@dataclass(frozen=True, slots=True)
class RepositoryDeclaration:
    """What is known of an archive on the web."""

    traits: RepositoryTraits
    kind: RepositoryKind
    hosts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    index: str = ""
    raw: str = ""
    records: str = ""
    timemap: str = ""
    timegate: str = ""
    save: str = ""
    """The address by which it is asked for a capture, with {url}; "" where there is none."""
    paging: CdxPaging = CdxPaging.AUTO
    page: int = 10_000
    politeness: Mapping[str, RepositoryPoliteness] = field(default_factory=dict)
    notes: str = ""
    labels: bool = True

    @property
    def name(self) -> str:
        """What it is called."""
        return self.traits.name

    def politeness_of(self, name: str) -> RepositoryPoliteness:
        """How one class of its addresses wants to be asked."""
        return self.politeness.get(name) or default_politeness(self.name, name)


def default_politeness(name: str, pool: str, host: str = "") -> RepositoryPoliteness:
    """How an archive is asked whose limits nobody told; one on this machine has none."""
    if is_private_name(host) and (is_loopback(host) or host.endswith("localhost")):
        return RepositoryPoliteness(f"{name}/{pool}", rest_seconds=0.25)
    limit, at_once = _DEFAULT_LIMITS[pool]
    return RepositoryPoliteness(f"{name}/{pool}", (RateLimit.parse(limit),), at_once)


def user_file() -> Path:
    """Where a person's own declarations are."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "webkeep" / "repositories.toml"


def load_declarations(own: Path | None = None) -> dict[str, RepositoryDeclaration]:
    """All archives known by name; those of a person's own file come first and overrule ours."""
    path = own if own is not None else user_file()
    if own is not None and (own.is_dir() or not own.exists()):
        raise UsageError(f"{own} {'is no file' if own.exists() else 'does not exist'}; name a file of declarations")
    mine = _user_declarations(path) if path.is_file() else {}
    return {**mine, **{name: each for name, each in _builtin_declarations().items() if name not in mine}}


def find_by_name(text: str, declarations: Mapping[str, RepositoryDeclaration]) -> RepositoryDeclaration | None:
    """The archive of a name or of one of its other names."""
    wanted = text.strip().lower()
    for each in declarations.values():
        if wanted == each.name or wanted in each.aliases:
            return each
    return None


def find_by_host(host: str, declarations: Mapping[str, RepositoryDeclaration]) -> RepositoryDeclaration | None:
    """The archive that a host belongs to."""
    return next((each for each in declarations.values() if host in each.hosts), None)


@lru_cache(1)
def _builtin_declarations() -> dict[str, RepositoryDeclaration]:
    text = files("webkeep.recover").joinpath(_BUILTIN_FILE).read_text("utf-8")
    return dict(_parse_declarations(tomllib.loads(text), _BUILTIN_FILE))


def _user_declarations(path: Path) -> dict[str, RepositoryDeclaration]:
    try:
        return dict(_parse_declarations(tomllib.loads(path.read_text("utf-8")), str(path)))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML ({error}); mend it") from error


def _parse_declarations(tables: Mapping[str, Any], source: str) -> Iterator[tuple[str, RepositoryDeclaration]]:
    for name, table in tables.items():
        where = f"{source}, [{name}]"
        if not isinstance(table, dict):
            raise UsageError(f"{source}: {name} is no table; write [{name}] and its lines below")
        unknown = sorted(set(table) - _KEYS)
        if unknown:
            raise UsageError(f"{where}: nothing is called {unknown[0]!r}; choose of {', '.join(sorted(_KEYS))}")
        yield name.lower(), _parse_declaration(name.lower(), table, where)


def _parse_declaration(name: str, table: Mapping[str, Any], where: str) -> RepositoryDeclaration:
    kind = _enum_value(RepositoryKind, table, "kind", RepositoryKind.CDX, where)
    addresses = {
        key: _url_template(table, key, where) for key in ("index", "raw", "records", "timemap", "timegate", "save")
    }
    if kind is RepositoryKind.MEMENTO and not (addresses["timemap"] or addresses["timegate"]):
        raise UsageError(f"{where}: an archive that speaks Memento needs timemap or timegate; add one")
    if kind is not RepositoryKind.MEMENTO and not addresses["index"]:
        raise UsageError(f"{where}: an archive of kind {kind} needs the address of its index; add index")
    hosts = _text_list(table, "hosts", where) or tuple(
        sorted({authority_of(each) for each in addresses.values() if each})
    )
    return RepositoryDeclaration(
        _parse_traits(name, table, kind, where),
        kind,
        hosts,
        tuple(alias.lower() for alias in _text_list(table, "aliases", where)),
        paging=_enum_value(CdxPaging, table, "paging", CdxPaging.AUTO, where),
        page=_count_value(table, "page", where) or 10_000,
        politeness=dict(_parse_politeness(name, table, where)),
        notes=str(table.get("notes", "")),
        labels=bool(table.get("labels", True)),
        **addresses,
    )


def _parse_traits(name: str, table: Mapping[str, Any], kind: RepositoryKind, where: str) -> RepositoryTraits:
    return RepositoryTraits(
        name,
        str(table.get("title", name)),
        _enum_value(VersionDepth, table, "depth", VersionDepth.DEEP, where),
        _enum_value(RepositoryAccess, table, "access", RepositoryAccess.LIGHT, where),
        _enum_value(DateKind, table, "dates", DateKind.CRAWL, where),
        lists=kind is not RepositoryKind.MEMENTO,
        lists_periods=kind is not RepositoryKind.MEMENTO,
        raw=bool(table.get("original", True)),
        listing_cap=_count_value(table, "listing-cap", where),
        listing_page=_count_value(table, "page", where) or 10_000,
        requests_per_resource=1,
        size_cap=_count_value(table, "size-cap", where),
        delay_days=_count_value(table, "delay-days", where) or 0,
        spelling=UrlSpelling(
            bool(table.get("either-www", True)),
            bool(table.get("either-case", kind is not RepositoryKind.MEMENTO)),
            bool(table.get("keeps-slash", True)),
        ),
        kept_forms=_parse_kept_forms(table.get("keeps", {}), where),
    )


def _parse_kept_forms(told: object, where: str) -> dict[str, KeptForm]:
    if not isinstance(told, dict):
        raise UsageError(f'{where}: keeps is no table; write keeps = {{ image = "converted" }}')
    return {str(kind): _enum_value(KeptForm, told, kind, KeptForm.ORIGINAL, where) for kind in told}


def _parse_politeness(name: str, table: Mapping[str, Any], where: str) -> Iterator[tuple[str, RepositoryPoliteness]]:
    pools = table.get("limits", {})
    for pool, told in pools.items() if isinstance(pools, dict) else [("limits", pools)]:
        if pool not in _DEFAULT_LIMITS or not isinstance(told, dict):
            raise UsageError(
                f'{where}: limits are for index, playback and save, as limits.index = {{ requests = "30/minute" }}'
            )
        limits = tuple(RateLimit.parse(text) for text in _text_list(told, "requests", where))
        rest = told.get("rest", 60)
        if not isinstance(rest, int | float) or rest < 0:
            raise UsageError(f"{where}: rest is a number of seconds")
        yield (
            pool,
            RepositoryPoliteness(f"{name}/{pool}", limits, _count_value(told, "at-once", where) or 0, float(rest)),
        )


def _text_list(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise UsageError(f"{where}: {key} is a text or a list of texts, not {value!r}")
    return tuple(listed)


def _url_template(table: Mapping[str, Any], key: str, where: str) -> str:
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


def _enum_value(choices: type[T], table: Mapping[str, Any], key: str, default: T, where: str) -> T:
    try:
        return choices(table.get(key, default))
    except ValueError:
        listed = ", ".join(choices)
        raise UsageError(f"{where}: {key} cannot be {table[key]!r}; choose of {listed}") from None


def _count_value(table: Mapping[str, Any], key: str, where: str) -> int | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{where}: {key} is a number, not {value!r}")
    return value
