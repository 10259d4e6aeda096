"""How repositories are named on a command line: `ia`, `cdx=URL raw=TEMPLATE`, `memento=URL`, `warc=PATH`, or a path."""

from __future__ import annotations

import enum
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.fetch.addresses import authority_of, host_of
from webkeep.recover.known import INDEX, PLAYBACK, Declaration, Kind, gentle, named
from webkeep.recover.limits import Limit, Manners
from webkeep.recover.repositories.cdx_server import Paging
from webkeep.recover.repository_traits import Spelling, Traits
from webkeep.store.httrack import is_httrack_mirror
from webkeep.store.layout import is_archive
from webkeep.store.loose_files import has_records, record_ending
from webkeep.url import normal

_OPTIONS = {"raw", "records", "timemap", "timegate", "paging", "limit", "name"}
_SHAPES = (
    "a known name, a path, cdx=URL, memento=URL, warc=PATH, archive=PATH, mirror=PATH, har=PATH, mhtml=PATH, "
    "cache=PATH, cdxj=PATH or live"
)
_INDEX_ENDINGS = ("/cdx/search/cdx", "/cdx", "-cdx", "-index")


class Local(enum.StrEnum):
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
class LocalPlace:
    """Something on this machine."""

    kind: Local
    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class LiveWeb:
    """Whatever still answers."""

    name: str = "live"
    manners: Manners = field(default_factory=lambda: Manners("live", (Limit(2, 1.0),), 2))


Named = Declaration | LocalPlace | LiveWeb


def read_repository(text: str, declarations: Mapping[str, Declaration]) -> Named:
    """What a text names; raises UsageError where it names nothing."""
    name, _, rest = text.strip().partition(" ")
    found = named(name, declarations)
    if found is not None:
        return _limited(found, _options(_words(rest)))
    if text.strip() == "live":
        return LiveWeb()
    key, equals, value = text.strip().partition("=")
    if equals and key in Local._value2member_map_:
        path, options = _path_and_options(value)
        return LocalPlace(Local(key), _existing(path), options.get("name") or path.name)
    if equals and key in ("cdx", "memento"):
        return _on_the_web(Kind(key), value)
    path = _path(text)
    if text.strip() and _exists(path):
        return LocalPlace(kind_of(_existing(path)), path, path.resolve().name)
    if "/" in text or path.suffix:
        _existing(path)
    names = ", ".join(f"{name}{_also(declarations[name])}" for name in sorted(declarations))
    raise UsageError(f"{text!r} names no repository; give {_SHAPES}. Known are {names}")


def _also(declaration: Declaration) -> str:
    """The other names of an archive, in brackets."""
    return f" ({', '.join(declaration.aliases)})" if declaration.aliases else ""


def kind_of(path: Path) -> Local:
    """What lies at a path, by its content."""
    if path.is_dir():
        if is_archive(path):
            return Local.ARCHIVE
        if (path / "entries").is_dir() or any(path.glob("*_0")) or (path / "Cache_Data").is_dir():
            return Local.CACHE
        return Local.MIRROR if is_httrack_mirror(path) or not has_records(path) else Local.WARC
    ending = path.suffix.lower()
    if ending in (".har", ".mhtml", ".mht", ".cdxj", ".cdx"):
        return {".har": Local.HAR, ".cdxj": Local.CDXJ, ".cdx": Local.CDXJ}.get(ending, Local.MHTML)
    if not record_ending(path):
        raise UsageError(f"{path} is nothing that can be recovered from; name {_SHAPES}")
    return Local.WARC


def _limited(found: Declaration, options: Mapping[str, str]) -> Declaration:
    """A known archive with a limit that a person sets in place of those that are known."""
    if set(options) - {"limit"}:
        raise UsageError(f"{found.name} is known; only limit= can be said of it, as in {found.name} limit=10/minute")
    if "limit" not in options:
        return found
    limits = (Limit.read(options["limit"]),)
    return replace(found, manners={pool: replace(found.pool(pool), limits=limits) for pool in (INDEX, PLAYBACK)})


_MARKS = {"raw": ("{timestamp}", "{url}"), "records": ("{filename}",), "timemap": ("{url}",), "timegate": ("{url}",)}
"""What stands in an address for what is asked of it."""


def _on_the_web(kind: Kind, value: str) -> Declaration:
    address, *rest = _words(value) or [""]
    options = _options(rest)
    if not address.startswith(("http://", "https://")) or normal(address) is None:
        raise UsageError(f"{kind}={address} is no web address; write it as {kind}=https://archive.example/…")
    for option, marks in _MARKS.items():
        if option in options and not all(mark in options[option] for mark in marks):
            raise UsageError(f"{option}={options[option]} lacks {' or '.join(marks)}; write it where it belongs")
    authority = authority_of(address)
    name = options.get("name") or authority.removesuffix(":80")
    traits = Traits(
        name, name, lists=kind is Kind.CDX, lists_periods=kind is Kind.CDX, spelling=Spelling(either_case=True)
    )
    manners = {pool: _manners(name, pool, host_of(authority), options) for pool in (INDEX, PLAYBACK)}
    hosts = (authority,)
    if kind is Kind.CDX:
        paging = _paging(options)
        raw = options.get("raw") or ("" if options.get("records") else _raw_beside(address))
        return Declaration(
            traits, kind, hosts, index=address, raw=raw, records=options.get("records", ""), paging=paging,
            manners=manners,
        )  # fmt: skip
    timegate, timemap = _memento_addresses(address)
    return Declaration(
        traits, kind, hosts, timemap=options.get("timemap", timemap), timegate=options.get("timegate", timegate),
        manners=manners,
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


def _raw_beside(index: str) -> str:
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


def _manners(name: str, pool: str, host: str, options: Mapping[str, str]) -> Manners:
    if "limit" in options:
        return Manners(f"{name}/{pool}", (Limit.read(options["limit"]),), rest_seconds=1)
    return gentle(name, pool, host)


def _paging(options: Mapping[str, str]) -> Paging:
    try:
        return Paging(options.get("paging", Paging.AUTO))
    except ValueError:
        raise UsageError(f"paging cannot be {options['paging']!r}; choose of {', '.join(Paging)}") from None


def _path_and_options(value: str) -> tuple[Path, dict[str, str]]:
    whole = _path(value)
    if _exists(whole):
        return whole, {}
    path, *rest = _words(value) or [""]
    return _path(path), _options(rest)


def _options(texts: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for key, equals, _ in pairs:
        if not equals or key not in _OPTIONS:
            raise UsageError(f"{key!r} is no option of a repository; choose of {', '.join(sorted(_OPTIONS))}")
    return {key: value for key, _, value in pairs}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise UsageError(f"a quotation mark in {text!r} has no partner; add it or leave it out") from None


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # nobody of that name lives here
        return Path(text)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _existing(path: Path) -> Path:
    if not _exists(path):
        raise UsageError(f"{path} does not exist; check its name")
    if not (path.is_file() or path.is_dir()):
        raise UsageError(f"{path} is neither a file nor a directory; save what comes out of it to a file first")
    return path
