"""Repositories opened by what a person calls them, with one door and one ledger for all of them."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.errors import FormatError, UsageError
from webkeep.fetch import Door, DoorSettings
from webkeep.fetch.addresses import authority_of, host_of
from webkeep.formats.cdxj import read_cdx
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import CHUNK, Clock, Finding
from webkeep.recover.known import INDEX, PLAYBACK, Declaration, Kind, at_host, gentle, known
from webkeep.recover.ledger import Ledger
from webkeep.recover.repositories import browser_cache, har, mhtml
from webkeep.recover.repositories.archived import ArchiveRepository
from webkeep.recover.repositories.cdx import CdxRepository
from webkeep.recover.repositories.cdx_server import CdxServer
from webkeep.recover.repositories.client import Client, Patience
from webkeep.recover.repositories.common_crawl import CommonCrawlRepository, Crawl
from webkeep.recover.repositories.leftovers import kept
from webkeep.recover.repositories.live import LiveRepository
from webkeep.recover.repositories.memento import MementoRepository
from webkeep.recover.repositories.mirrors import mirrored
from webkeep.recover.repositories.ranged_records import RangedRecords
from webkeep.recover.repositories.replay import Replay
from webkeep.recover.repository import Repository
from webkeep.recover.repository_naming import LiveWeb, Local, LocalPlace, Named, read_repository
from webkeep.recover.repository_traits import Depth, Traits
from webkeep.store.archive import Archive
from webkeep.store.loose_files import gathered, record_ending, records_at

_NUMBER = re.compile(r"^\d{5}-")
_MEMBER = re.compile(r"\d{5}-(.+?)-\d{5}-(.+)")
"""How a file is called that was taken out of a package: by that, and by its name in there."""
_RECORD_FOLDERS = ("", "archive", "archives", "warcs", "..", "../archive", "../archives", "../warcs")
"""Where the files of records lie that an index names, seen from the index."""


def _unheard(_finding: Finding) -> None:
    """Findings that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Around:
    """What repositories need of the world around them."""

    spool: Path
    """A folder for what comes, as long as it is needed."""
    clock: Clock = field(default_factory=SystemClock)
    ledger: Path | None = None
    """Where requests are booked; the user's own place where it is not said."""
    declarations: Path | None = None
    """A file of declarations in place of the user's own."""
    door: DoorSettings = field(default_factory=DoorSettings)
    patience: Patience = field(default_factory=Patience)
    tell: Callable[[Finding], None] = _unheard


def ledger_file() -> Path:
    """Where the requests of all processes of a user are booked."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "webkeep" / "requests.sqlite"


@asynccontextmanager
async def open_repositories(texts: Sequence[str], around: Around) -> AsyncIterator[list[Repository]]:
    """The repositories that texts name, open until it is left; raises UsageError where one names nothing."""
    declarations = known(around.declarations)
    names = [read_repository(text, declarations) for text in texts]
    async with AsyncExitStack() as closing:
        door = await closing.enter_async_context(Door(around.door, around.spool, around.clock))
        is_web = any(not isinstance(each, LocalPlace) for each in names)
        # Without the web nothing is booked; a memory of nothing needs no file.
        ledger = Ledger((around.ledger or ledger_file()) if is_web else Path(":memory:"))
        closing.callback(ledger.close)
        opening = _Opening(around, door, ledger, declarations)
        repositories: list[Repository] = []
        taken: set[str] = set()
        for each in names:
            repository = await opening.opened(_renamed(each, taken))
            closing.push_async_callback(repository.close)
            repositories.append(repository)
        yield repositories


def note_used(text: str, requests: int, around: Around) -> None:
    """Book requests to a repository on the web that were sent by other means, so that its limits hold with them."""
    named = read_repository(text, known(around.declarations))
    if not isinstance(named, Declaration):
        raise UsageError(f"{text!r} has no limits; requests are counted for archives on the web")
    ledger = Ledger(around.ledger or ledger_file())
    try:
        for pool in (INDEX, PLAYBACK):
            ledger.assume(named.pool(pool), requests)
    finally:
        ledger.close()


def _renamed(each: Named, taken: set[str]) -> Named:
    """The same under a name that none before it has."""
    name, number = each.name, 1
    while name in taken:
        number += 1
        name = f"{each.name}-{number}"
    taken.add(name)
    if isinstance(each, Declaration):
        return replace(each, traits=replace(each.traits, name=name))
    return replace(each, name=name)


class _Opening:
    """Opens repositories."""

    def __init__(self, around: Around, door: Door, ledger: Ledger, declarations: Mapping[str, Declaration]) -> None:
        self._around = around
        self._door = door
        self._ledger = ledger
        self._declarations = declarations
        self._lane = asyncio.Semaphore(min(around.door.connections, around.door.connections_per_host))

    async def opened(self, each: Named) -> Repository:
        if isinstance(each, LocalPlace):
            return await self._local(each)
        if isinstance(each, LiveWeb):
            return LiveRepository(
                Traits(each.name, "the live web", Depth.FLAT, lists=False, lists_periods=False),
                self._client(each.name, [f"http://{text.partition(':')[0]}/" for text in self._around.door.resolve]),
                each.manners,
            )
        if each.kind is Kind.MEMENTO:
            return self._memento(each)
        return self._common_crawl(each) if each.kind is Kind.COMMON_CRAWL else self._cdx(each, each.index)

    def _client(self, name: str, addresses: Sequence[str]) -> Client:
        around = self._around
        hosts = {host_of(authority_of(address)) for address in addresses if address}
        return Client(name, self._door, self._ledger, around.clock, hosts, around.patience, self._lane)

    def _cdx(self, each: Declaration, index: str) -> CdxRepository:
        client = self._client(each.name, (each.index, each.raw, each.records))
        server = CdxServer(each.name, client, each.pool(INDEX), index, each.paging, each.page)
        playback, spool = each.pool(PLAYBACK), self._around.spool
        replay = Replay(client, playback, each.traits, spool, each.raw, each.labels) if each.raw else None
        records = RangedRecords(client, playback, each.traits, spool, each.records) if each.records else None
        return CdxRepository(each.traits, server, replay, records)

    def _common_crawl(self, each: Declaration) -> CommonCrawlRepository:
        client = self._client(each.name, (each.index, each.records))
        return CommonCrawlRepository(
            each.traits, client, each.pool(INDEX), each.index, lambda crawl: self._crawl(each, crawl)
        )

    def _crawl(self, each: Declaration, crawl: Crawl) -> CdxRepository:
        return self._cdx(each, crawl.index)

    def _memento(self, each: Declaration) -> MementoRepository:
        client = self._client(each.name, (each.timemap, each.timegate))
        replays: dict[str, Replay] = {}

        def replay_at(uri: str) -> Replay:
            host = authority_of(uri)
            if host not in replays:
                replays[host] = self._replay_at(each, client, host)
            return replays[host]

        return MementoRepository(each.traits, client, each.pool(INDEX), each.timemap, each.timegate, replay_at)

    def _replay_at(self, each: Declaration, client: Client, host: str) -> Replay:
        """How versions at a host are asked for: an aggregator leads to archives that have manners of their own."""
        spool = self._around.spool
        owner = each if host in each.hosts else at_host(host, self._declarations)
        if owner is None:
            return Replay(client, gentle(host, PLAYBACK, host_of(host)), each.traits, spool)
        traits = replace(owner.traits, name=each.name)
        return Replay(client, owner.pool(PLAYBACK), traits, spool, labels=owner.labels)

    async def _local(self, each: LocalPlace) -> ArchiveRepository:
        around = self._around
        if each.kind is Local.ARCHIVE:
            archive = Archive(each.path, around.clock)
            return ArchiveRepository(each.name, archive, around.clock, around.spool)
        held = tempfile.TemporaryDirectory(dir=around.spool, prefix="repository-")
        try:
            folder = await asyncio.to_thread(self._made, each, Path(held.name) / "archive")
            archive = Archive(folder, around.clock)
        except BaseException:
            held.cleanup()
            raise
        for finding in archive.recovered:
            around.tell(replace(finding, source=_own_name(archive, finding.source, each.path)))
        return ArchiveRepository(each.name, archive, around.clock, around.spool, each.path.absolute(), held.cleanup)

    def _made(self, each: LocalPlace, folder: Path) -> Path:
        """An archive of what lies there."""
        path, clock, tell = each.path, self._around.clock, self._around.tell
        if each.kind in (Local.WARC, Local.CDXJ):
            files = _indexed(path) if each.kind is Local.CDXJ else records_at(path)
            if not files:
                raise UsageError(f"{path} holds no WARC, ARC or WACZ files; name a directory that does")
            for file in files:
                _tell_lack(file, tell)
            return gathered(files, folder, each.name, clock.now())
        readers = {
            Local.HAR: har.saved,
            Local.MHTML: mhtml.saved,
            Local.MIRROR: mirrored,
            Local.CACHE: browser_cache.saved,
        }
        return kept(readers[each.kind](path, tell), folder, each.name, clock, tell)


def _tell_lack(file: Path, tell: Callable[[Finding], None]) -> None:
    """Tell of WARC files that a WACZ should have, and has not."""
    if record_ending(file) != ".wacz":
        return
    with suppress(FormatError), file.open("rb") as stream:  # what cannot be read at all is refused when it is unpacked
        wacz = read_wacz(stream, file.name, Flaws(Strictness.IGNORE))
        listed = {each.path for each in wacz.resources if each.path.startswith("archive/")}
        for path in sorted(listed - {each.path for each in wacz.warcs}):
            tell(Finding("wacz-missing", str(file), 0, f"{path!r} is in the manifest and not in the ZIP file"))
        if not wacz.warcs:
            tell(Finding("wacz-no-warc", str(file), 0, "WACZ holds no WARC file under archive/"))


def _own_name(archive: Archive, name: str, origin: Path) -> str:
    """What a person calls a file that an archive was made of for the while."""
    path = archive.layout.warcs / name
    if not path.is_symlink():  # it was unpacked
        member = _MEMBER.fullmatch(name)
        place = f"{origin}" if origin.is_file() else f"{origin}, {member[1] if member else _NUMBER.sub('', name)}"
        return f"{place}, {member[2]}" if member else place
    file = path.readlink()
    folder = origin.absolute()
    return str(origin / file.relative_to(folder)) if file.is_relative_to(folder) else str(file)


def _indexed(index: Path) -> list[Path]:
    """The files of records that an index names, which lie beside it or in a folder where they usually do."""
    names: dict[str, None] = {}
    with index.open("rb") as stream:
        chunks = iter(lambda: stream.read(CHUNK), b"")
        for line in read_cdx(chunks, index.name, Flaws(Strictness.IGNORE)):
            if line.filename:
                names[Path(line.filename).name] = None
    places = [(index.parent / ending / name) for name in names for ending in _RECORD_FOLDERS]
    found = {path.resolve(): None for path in places if path.is_file()}
    if names and not found:
        raise UsageError(
            f"{index} names WARC files that do not lie beside it, as {next(iter(names))!r}; move them there"
        )
    return list(found)
