"""Repositories opened by what a person calls them, with one fetcher and one ledger for all of them; where that ledger
lies, and how files on this machine are made into an archive first.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.errors import FormatError, UsageError
from webkeep.fetch import FetchSettings, authority_of, host_of
from webkeep.fetch.client import Fetcher
from webkeep.formats import Flaws, Strictness
from webkeep.formats.cdx import read_cdx
from webkeep.formats.wacz import read_wacz
from webkeep.model import CHUNK_BYTES, CaptureKind, Clock, Exchange, Finding
from webkeep.recover.politeness.request_ledger import RequestLedger
from webkeep.recover.repositories import browser_cache, har_file as har, mhtml_file as mhtml
from webkeep.recover.repositories.archive_repository import ArchiveRepository
from webkeep.recover.repositories.cdx_repository import CdxRepository
from webkeep.recover.repositories.cdx_server import CdxServer
from webkeep.recover.repositories.common_crawl import CommonCrawlIndex, CommonCrawlRepository
from webkeep.recover.repositories.live_repository import LiveRepository
from webkeep.recover.repositories.memento_repository import MementoRepository
from webkeep.recover.repositories.mirror_folder import read_exchanges
from webkeep.recover.repositories.playback_server import PlaybackServer
from webkeep.recover.repositories.record_ranges import RecordRangeReader
from webkeep.recover.repositories.repository import Repository
from webkeep.recover.repositories.repository_traits import RepositoryTraits, VersionDepth
from webkeep.recover.repositories.repository_transport import RepositoryTimeouts, RepositoryTransport, SharedTransport
from webkeep.recover.sources.declarations import (
    INDEX_POOL,
    PLAYBACK_POOL,
    RepositoryDeclaration,
    RepositoryKind,
    default_politeness,
    find_by_host,
    load_declarations,
)
from webkeep.recover.sources.repository_spec import (
    LiveWebSource,
    LocalSource,
    LocalSourceKind,
    RepositorySpec,
    parse_repository,
)
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.transfer import build_temporary_archive, list_record_files, sniff_record_ending
from webkeep.store.writing import PendingAcknowledgements

# Exchanges out of leftovers of other programs, made into an archive for as long as it is asked.

FindingListener = Callable[[Finding], None]


def archive_exchanges(
    exchanges: Iterable[Exchange], folder: Path, name: str, clock: Clock, tell: FindingListener
) -> Path:
    """An archive in a folder that holds exchanges; what cannot be read is told."""

    def not_kept(url: str, error: Exception) -> None:
        tell(Finding("leftover-passed-over", name, 0, f"{url[:200]} cannot be read ({error}); left out"))

    awaited = PendingAcknowledgements(not_kept)
    with WritableArchive.create(folder, name, clock) as archive, archive.begin(CaptureKind.IMPORT) as capture:
        for exchange in exchanges:
            awaited.add(capture.submit(exchange), exchange.url)
        awaited.wait_for_all()
    return folder


_IMPORT_NUMBER = re.compile(r"^\d{5}-")
_PACKAGE_MEMBER = re.compile(r"\d{5}-(.+?)-\d{5}-(.+)")
"""How a file is called that was taken out of a package: by that, and by its name in there."""
_RECORD_FOLDERS = ("", "archive", "archives", "warcs", "..", "../archive", "../archives", "../warcs")
"""Where the files of records lie that an index names, seen from the index."""


def _ignore_finding(_finding: Finding) -> None:
    """Findings that nobody asked for."""


@dataclass(frozen=True, slots=True)
class RepositoryContext:
    """What repositories need of the world around them."""

    spool: Path
    """A folder for what comes, as long as it is needed."""
    fetch_settings: FetchSettings
    clock: Clock = field(default_factory=SystemClock)
    ledger: Path | None = None
    """Where requests are booked; the user's own place where it is not said."""
    declarations: Path | None = None
    """A file of declarations in place of the user's own."""
    timeouts: RepositoryTimeouts = field(default_factory=RepositoryTimeouts)
    report_finding: Callable[[Finding], None] = _ignore_finding


def ledger_path() -> Path:
    """Where the requests of all processes of a user are booked."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "webkeep" / "requests.sqlite"


@asynccontextmanager
async def open_repositories(texts: Sequence[str], context: RepositoryContext) -> AsyncIterator[list[Repository]]:
    """The repositories that texts name, open until it is left; raises UsageError where one names nothing."""
    declarations = load_declarations(context.declarations)
    names = [parse_repository(text, declarations) for text in texts]
    async with AsyncExitStack() as closing:
        fetcher = await closing.enter_async_context(Fetcher(context.fetch_settings, context.spool, context.clock))
        is_web = any(not isinstance(each, LocalSource) for each in names)
        # Without the web nothing is booked; a memory of nothing needs no file.
        ledger = RequestLedger((context.ledger or ledger_path()) if is_web else Path(":memory:"))
        closing.callback(ledger.close)
        opening = _RepositoryOpener(context, fetcher, ledger, declarations)
        repositories: list[Repository] = []
        taken: set[str] = set()
        for each in names:
            repository = await opening.open_repository(_with_unique_name(each, taken))
            closing.push_async_callback(repository.close)
            repositories.append(repository)
        yield repositories


def book_past_use(text: str, requests: int, context: RepositoryContext) -> None:
    """Book requests to a repository on the web that were sent by other means, so that its limits hold with them."""
    named = parse_repository(text, load_declarations(context.declarations))
    if not isinstance(named, RepositoryDeclaration):
        raise UsageError(f"{text!r} has no limits; requests are counted for archives on the web")
    ledger = RequestLedger(context.ledger or ledger_path())
    try:
        for pool in (INDEX_POOL, PLAYBACK_POOL):
            ledger.book_past_requests(named.politeness_of(pool), requests)
    finally:
        ledger.close()


def _with_unique_name(each: RepositorySpec, taken: set[str]) -> RepositorySpec:
    """The same under a name that none before it has."""
    name, number = each.name, 1
    while name in taken:
        number += 1
        name = f"{each.name}-{number}"
    taken.add(name)
    if isinstance(each, RepositoryDeclaration):
        return replace(each, traits=replace(each.traits, name=name))
    return replace(each, name=name)


class _RepositoryOpener:
    """Opens repositories."""

    def __init__(
        self,
        context: RepositoryContext,
        fetcher: Fetcher,
        ledger: RequestLedger,
        declarations: Mapping[str, RepositoryDeclaration],
    ) -> None:
        self._context = context
        self._fetcher = fetcher
        self._ledger = ledger
        self._declarations = declarations
        self._connection_slots = asyncio.Semaphore(
            min(context.fetch_settings.connections, context.fetch_settings.connections_per_host)
        )

    async def open_repository(self, each: RepositorySpec) -> Repository:
        if isinstance(each, LocalSource):
            return await self._open_local(each)
        if isinstance(each, LiveWebSource):
            return LiveRepository(
                RepositoryTraits(each.name, "the live web", VersionDepth.FLAT, lists=False, lists_periods=False),
                self._transport(
                    each.name, [f"http://{text.partition(':')[0]}/" for text in self._context.fetch_settings.resolve]
                ),
                each.politeness,
            )
        if each.kind is RepositoryKind.MEMENTO:
            return self._open_memento(each)
        return (
            self._open_common_crawl(each)
            if each.kind is RepositoryKind.COMMON_CRAWL
            else self._open_cdx(each, each.index)
        )

    def _transport(self, name: str, addresses: Sequence[str]) -> RepositoryTransport:
        context = self._context
        hosts = {host_of(authority_of(address)) for address in addresses if address}
        shared = SharedTransport(self._fetcher, self._ledger, context.clock, context.timeouts, self._connection_slots)
        return RepositoryTransport(name, shared, hosts)

    def _open_cdx(self, each: RepositoryDeclaration, index: str) -> CdxRepository:
        client = self._transport(each.name, (each.index, each.raw, each.records))
        server = CdxServer(each.name, client, each.politeness_of(INDEX_POOL), index, each.paging, each.page)
        playback, spool = each.politeness_of(PLAYBACK_POOL), self._context.spool
        replay = PlaybackServer(client, playback, each.traits, spool, each.raw, each.labels) if each.raw else None
        records = RecordRangeReader(client, playback, each.traits, spool, each.records) if each.records else None
        return CdxRepository(each.traits, server, replay, records)

    def _open_common_crawl(self, each: RepositoryDeclaration) -> CommonCrawlRepository:
        client = self._transport(each.name, (each.index, each.records))
        return CommonCrawlRepository(
            each.traits,
            client,
            each.politeness_of(INDEX_POOL),
            each.index,
            lambda crawl: self._open_crawl_index(each, crawl),
        )

    def _open_crawl_index(self, each: RepositoryDeclaration, crawl: CommonCrawlIndex) -> CdxRepository:
        return self._open_cdx(each, crawl.index)

    def _open_memento(self, each: RepositoryDeclaration) -> MementoRepository:
        client = self._transport(each.name, (each.timemap, each.timegate))
        replays: dict[str, PlaybackServer] = {}

        def replay_at(uri: str) -> PlaybackServer:
            host = authority_of(uri)
            if host not in replays:
                replays[host] = self._playback_at(each, client, host)
            return replays[host]

        return MementoRepository(
            each.traits, client, each.politeness_of(INDEX_POOL), each.timemap, each.timegate, replay_at
        )

    def _playback_at(self, each: RepositoryDeclaration, client: RepositoryTransport, host: str) -> PlaybackServer:
        """How versions at a host are asked for: an aggregator leads to archives that have manners of their own."""
        spool = self._context.spool
        owner = each if host in each.hosts else find_by_host(host, self._declarations)
        if owner is None:
            return PlaybackServer(client, default_politeness(host, PLAYBACK_POOL, host_of(host)), each.traits, spool)
        traits = replace(owner.traits, name=each.name)
        return PlaybackServer(client, owner.politeness_of(PLAYBACK_POOL), traits, spool, labels=owner.labels)

    async def _open_local(self, each: LocalSource) -> ArchiveRepository:
        context = self._context
        if each.kind is LocalSourceKind.ARCHIVE:
            archive = Archive(each.path, context.clock)
            return ArchiveRepository(each.name, archive, context.clock, context.spool)
        held = tempfile.TemporaryDirectory(dir=context.spool, prefix="repository-")
        try:
            folder = await asyncio.to_thread(self._build_archive, each, Path(held.name) / "archive")
            archive = Archive(folder, context.clock)
        except BaseException:
            held.cleanup()
            raise
        for finding in archive.repair_findings:
            context.report_finding(replace(finding, source=_original_name(archive, finding.source, each.path)))
        return ArchiveRepository(each.name, archive, context.clock, context.spool, each.path.absolute(), held.cleanup)

    def _build_archive(self, each: LocalSource, folder: Path) -> Path:
        """An archive of what lies there."""
        path, clock, tell = each.path, self._context.clock, self._context.report_finding
        if each.kind in (LocalSourceKind.WARC, LocalSourceKind.CDXJ):
            files = _indexed_files(path) if each.kind is LocalSourceKind.CDXJ else list_record_files(path)
            if not files:
                raise UsageError(f"{path} holds no WARC, ARC or WACZ files; name a directory that does")
            for file in files:
                _report_missing_warcs(file, tell)
            return build_temporary_archive(files, folder, each.name, clock.now())
        readers = {
            LocalSourceKind.HAR: har.read_exchanges,
            LocalSourceKind.MHTML: mhtml.read_exchanges,
            LocalSourceKind.MIRROR: read_exchanges,
            LocalSourceKind.CACHE: browser_cache.read_exchanges,
        }
        return archive_exchanges(readers[each.kind](path, tell), folder, each.name, clock, tell)


def _report_missing_warcs(file: Path, tell: Callable[[Finding], None]) -> None:
    """Tell of WARC files that a WACZ should have, and has not."""
    if sniff_record_ending(file) != ".wacz":
        return
    with suppress(FormatError), file.open("rb") as stream:  # what cannot be read at all is refused when it is unpacked
        wacz = read_wacz(stream, file.name, Flaws(Strictness.IGNORE))
        listed = {each.path for each in wacz.resources if each.path.startswith("archive/")}
        for path in sorted(listed - {each.path for each in wacz.warcs}):
            tell(Finding("wacz-missing", str(file), 0, f"{path!r} is in the manifest and not in the ZIP file"))
        if not wacz.warcs:
            tell(Finding("wacz-no-warc", str(file), 0, "WACZ holds no WARC file under archive/"))


def _original_name(archive: Archive, name: str, origin: Path) -> str:
    """What a person calls a file that an archive was made of for the while."""
    path = archive.layout.warcs / name
    if not path.is_symlink():  # it was unpacked
        member = _PACKAGE_MEMBER.fullmatch(name)
        place = (
            f"{origin}" if origin.is_file() else f"{origin}, {member[1] if member else _IMPORT_NUMBER.sub('', name)}"
        )
        return f"{place}, {member[2]}" if member else place
    file = path.readlink()
    folder = origin.absolute()
    return str(origin / file.relative_to(folder)) if file.is_relative_to(folder) else str(file)


def _indexed_files(index: Path) -> list[Path]:
    """The files of records that an index names, which lie beside it or in a folder where they usually do."""
    names: dict[str, None] = {}
    with index.open("rb") as stream:
        chunks = iter(lambda: stream.read(CHUNK_BYTES), b"")
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
