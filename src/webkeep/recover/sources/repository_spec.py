"""How repositories are named on a command line: `ia`, `cdx=URL raw=TEMPLATE`, `memento=URL`, `warc=PATH`, or a path;
what a path holds is told by what lies there, and addresses not given are guessed.
"""

from __future__ import annotations

import enum
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.fetch import authority_of, host_of
from webkeep.recover.politeness.rate_limits import RateLimit, RepositoryPoliteness
from webkeep.recover.repositories.cdx_server import CdxPaging
from webkeep.recover.repositories.repository_traits import RepositoryTraits, UrlSpelling
from webkeep.recover.sources.declarations import (
    INDEX_POOL,
    PLAYBACK_POOL,
    RepositoryDeclaration,
    RepositoryKind,
    default_politeness,
    find_by_name,
)
from webkeep.store.folder import is_archive
from webkeep.store.transfer import has_record_files, is_httrack_mirror, sniff_record_ending
from webkeep.url import normalize_url

_OPTIONS = {"raw", "records", "timemap", "timegate", "paging", "limit", "name"}
_SPEC_FORMS = (
    "a known name, a path, cdx=URL, memento=URL, warc=PATH, archive=PATH, mirror=PATH, har=PATH, mhtml=PATH, "
    "cache=PATH, cdxj=PATH or live"
)
_INDEX_ENDINGS = ("/cdx/search/cdx", "/cdx", "-cdx", "-index")


class LocalSourceKind(enum.StrEnum):
    """What can be read on this machine."""

    ARCHIVE = "archive"
    WARC = "warc"
    """WARC, ARC and WACZ files, and directories of them."""
    CDXJ = "cdxj"
    """An index of WARC files that lie beside it."""
    HAR = "har"
    MIRROR = "mirror"
    """A folder that HTTrack or wget made."""
    MHTML = "mhtml"
    CACHE = "cache"
    """The folder of a browser's cache."""


@dataclass(frozen=True, slots=True)
class LocalSource:
    """Something on this machine."""

    kind: LocalSourceKind
    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class LiveWebSource:
    """Whatever still answers."""

    name: str = "live"
    politeness: RepositoryPoliteness = field(
        default_factory=lambda: RepositoryPoliteness("live", (RateLimit(2, 1.0),), 2)
    )


RepositorySpec = RepositoryDeclaration | LocalSource | LiveWebSource


def parse_repository(text: str, declarations: Mapping[str, RepositoryDeclaration]) -> RepositorySpec:
    """What a text names; raises UsageError where it names nothing."""
    name, _, rest = text.strip().partition(" ")
    found = find_by_name(name, declarations)
    if found is not None:
        return _override_limit(found, _parse_options(_split_words(rest)))
    if text.strip() == "live":
        return LiveWebSource()
    key, equals, value = text.strip().partition("=")
    if equals and key in LocalSourceKind._value2member_map_:
        path, options = _split_path_options(value)
        return LocalSource(LocalSourceKind(key), _require_path(path), options.get("name") or path.name)
    if equals and key in ("cdx", "memento"):
        return _parse_web_archive(RepositoryKind(key), value)
    path = _expand_path(text)
    if text.strip() and _path_exists(path):
        return LocalSource(detect_local_kind(_require_path(path)), path, path.resolve().name)
    if "/" in text or path.suffix:
        _require_path(path)
    names = ", ".join(f"{name}{_alias_words(declarations[name])}" for name in sorted(declarations))
    raise UsageError(f"{text!r} names no repository; give {_SPEC_FORMS}. Known are {names}")


def _alias_words(declaration: RepositoryDeclaration) -> str:
    """The other names of an archive, in brackets."""
    return f" ({', '.join(declaration.aliases)})" if declaration.aliases else ""


def detect_local_kind(path: Path) -> LocalSourceKind:
    """What lies at a path, by its content."""
    if path.is_dir():
        if is_archive(path):
            return LocalSourceKind.ARCHIVE
        if (path / "entries").is_dir() or any(path.glob("*_0")) or (path / "Cache_Data").is_dir():
            return LocalSourceKind.CACHE
        return LocalSourceKind.MIRROR if is_httrack_mirror(path) or not has_record_files(path) else LocalSourceKind.WARC
    ending = path.suffix.lower()
    if ending in (".har", ".mhtml", ".mht", ".cdxj", ".cdx"):
        return {".har": LocalSourceKind.HAR, ".cdxj": LocalSourceKind.CDXJ, ".cdx": LocalSourceKind.CDXJ}.get(
            ending, LocalSourceKind.MHTML
        )
    if not sniff_record_ending(path):
        raise UsageError(f"{path} is nothing that can be recovered from; name {_SPEC_FORMS}")
    return LocalSourceKind.WARC


def _override_limit(found: RepositoryDeclaration, options: Mapping[str, str]) -> RepositoryDeclaration:
    """A known archive with a limit that a person sets in place of those that are known."""
    if set(options) - {"limit"}:
        raise UsageError(f"{found.name} is known; only limit= can be said of it, as in {found.name} limit=10/minute")
    if "limit" not in options:
        return found
    limits = (RateLimit.parse(options["limit"]),)
    return replace(
        found,
        politeness={pool: replace(found.politeness_of(pool), limits=limits) for pool in (INDEX_POOL, PLAYBACK_POOL)},
    )


_REQUIRED_PLACEHOLDERS = {
    "raw": ("{timestamp}", "{url}"),
    "records": ("{filename}",),
    "timemap": ("{url}",),
    "timegate": ("{url}",),
}
"""What stands in an address for what is asked of it."""


def _parse_web_archive(kind: RepositoryKind, value: str) -> RepositoryDeclaration:
    address, *rest = _split_words(value) or [""]
    options = _parse_options(rest)
    if not address.startswith(("http://", "https://")) or normalize_url(address) is None:
        raise UsageError(f"{kind}={address} is no web address; write it as {kind}=https://archive.example/…")
    for option, marks in _REQUIRED_PLACEHOLDERS.items():
        if option in options and not all(mark in options[option] for mark in marks):
            raise UsageError(f"{option}={options[option]} lacks {' or '.join(marks)}; write it where it belongs")
    authority = authority_of(address)
    name = options.get("name") or authority.removesuffix(":80")
    traits = RepositoryTraits(
        name,
        name,
        lists=kind is RepositoryKind.CDX,
        lists_periods=kind is RepositoryKind.CDX,
        spelling=UrlSpelling(either_case=True),
    )
    politeness = {
        pool: _politeness_from_options(name, pool, host_of(authority), options) for pool in (INDEX_POOL, PLAYBACK_POOL)
    }
    hosts = (authority,)
    if kind is RepositoryKind.CDX:
        paging = _parse_paging(options)
        raw = options.get("raw") or ("" if options.get("records") else _guess_raw_template(address))
        return RepositoryDeclaration(
            traits, kind, hosts, index=address, raw=raw, records=options.get("records", ""), paging=paging,
            politeness=politeness,
        )  # fmt: skip
    timegate, timemap = _memento_addresses(address)
    return RepositoryDeclaration(
        traits, kind, hosts, timemap=options.get("timemap", timemap), timegate=options.get("timegate", timegate),
        politeness=politeness,
    )  # fmt: skip


def _memento_addresses(address: str) -> tuple[str, str]:
    """The TimeGate and the TimeMap of an archive whose address was given."""
    if "{url}" in address:
        return ("", address) if "timemap" in address else (address, "")
    base = address.rstrip("/")
    if "/timemap" in base:
        return "", f"{base}/{{url}}"
    root = base.removesuffix("/web")
    if root != base or not _has_path(base):
        return f"{root}/web/{{url}}", f"{root}/timemap/link/{{url}}"
    return f"{base}/{{url}}", f"{base}/timemap/link/{{url}}"


def _guess_raw_template(index: str) -> str:
    """Where versions are to be had, by where the index is."""
    address = index.partition("?")[0].rstrip("/")
    ending = next((each for each in _INDEX_ENDINGS if address.endswith(each)), None)
    if ending is None:
        return ""
    base = address.removesuffix(ending)
    below = base if _has_path(base) and ending != "/cdx/search/cdx" else f"{base}/web"
    return f"{below}/{{timestamp}}id_/{{url}}"


def _has_path(address: str) -> bool:
    return address.count("/") > 2


def _politeness_from_options(name: str, pool: str, host: str, options: Mapping[str, str]) -> RepositoryPoliteness:
    if "limit" in options:
        return RepositoryPoliteness(f"{name}/{pool}", (RateLimit.parse(options["limit"]),), rest_seconds=1)
    return default_politeness(name, pool, host)


def _parse_paging(options: Mapping[str, str]) -> CdxPaging:
    try:
        return CdxPaging(options.get("paging", CdxPaging.AUTO))
    except ValueError:
        raise UsageError(f"paging cannot be {options['paging']!r}; choose of {', '.join(CdxPaging)}") from None


def _split_path_options(value: str) -> tuple[Path, dict[str, str]]:
    whole = _expand_path(value)
    if _path_exists(whole):
        return whole, {}
    path, *rest = _split_words(value) or [""]
    return _expand_path(path), _parse_options(rest)


def _parse_options(texts: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for key, equals, _ in pairs:
        if not equals or key not in _OPTIONS:
            raise UsageError(f"{key!r} is no option of a repository; choose of {', '.join(sorted(_OPTIONS))}")
    return {key: value for key, _, value in pairs}


def _split_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise UsageError(f"a quotation mark in {text!r} has no partner; add it or leave it out") from None


def _expand_path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # nobody of that name lives here
        return Path(text)


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _require_path(path: Path) -> Path:
    if not _path_exists(path):
        raise UsageError(f"{path} does not exist; check its name")
    if not (path.is_file() or path.is_dir()):
        raise UsageError(f"{path} is neither a file nor a directory; save what comes out of it to a file first")
    return path
