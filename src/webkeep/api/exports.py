"""`export`: an archive, or a part of it, handed on as WACZ, WARC, CDXJ or client-side states: which options go
together, who signs, and what is counted.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path, read_path_or_none
from webkeep.api.arguments.selections import SelectionRequest
from webkeep.api.target_file import open_target_file
from webkeep.api.work_listener import CallbackListener, NoteCallback, ProgressCallback, WorkListener, WorkWatch
from webkeep.api.work_summary import IF_GIVEN, WorkSummary
from webkeep.api.worker_archives import describe_missing
from webkeep.errors import UsageError
from webkeep.model import Moment, MomentLike, RecordPlace
from webkeep.presentation import format_count
from webkeep.signing import SigningRequest
from webkeep.store.archive import Archive, Selection
from webkeep.store.index import cdx_lines
from webkeep.store.transfer import WarcExport, count_dumps, write_wacz, write_warc
from webkeep.store.views import select_states
from webkeep.url import UrlMatch

if TYPE_CHECKING:
    from webkeep.api.export_seals import SealValues
    from webkeep.api.package_stamping import StampRequest

STANDARD_OUTPUT = "-"
"""What stands for standard output where the command takes a file."""


class ExportFormat(enum.StrEnum):
    """What an export is."""

    WACZ = "wacz"
    """Records, index and pages in one file."""
    WARC = "warc"
    CDXJ = "cdxj"
    STATES = "states"
    """Client-side states, as JSON or GraphML by the file's name."""


@dataclass(frozen=True, slots=True)
class ExportSummary(WorkSummary):
    """What an export consists of; None for what it does not have."""

    archive: Path
    file: str
    index_lines: int | None = field(default=None, metadata=IF_GIVEN)
    pages: int | None = field(default=None, metadata=IF_GIVEN)
    records: int | None = field(default=None, metadata=IF_GIVEN)
    states: int | None = field(default=None, metadata=IF_GIVEN)
    bytes: int | None = field(default=None, metadata=IF_GIVEN)
    """The size of the file."""
    key: str | None = field(default=None, metadata=IF_GIVEN)
    """The fingerprint of the key that signed it."""
    stamps: tuple[Moment, ...] | None = field(default=None, metadata=IF_GIVEN)
    """When time-stamping authorities say that it was there."""
    unstamped: tuple[str, ...] | None = field(default=None, metadata=IF_GIVEN)
    """Which time stamps did not come, and why."""

    @property
    def counts(self) -> dict[str, int]:
        """What it consists of, by name."""
        every = {name: getattr(self, name) for name in ("records", "index_lines", "pages", "states")}
        return {name: count for name, count in every.items() if count is not None}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is to be exported, and as what."""

    archive: Path
    format: ExportFormat
    file: str
    wanted: SelectionRequest
    title: str = ""
    post: bool = False
    replace: bool = False
    dumps: bool = False
    """Whether dumps of databases are taken along, which are private."""
    signing: SigningRequest | None = None
    """Who signs it; None for nobody."""
    stamping: StampRequest | None = None
    """Whom to ask for time stamps; None asks nobody."""

    def __post_init__(self) -> None:
        if self.title and self.format is not ExportFormat.WACZ:
            raise UsageError("--title is the title of a WACZ; leave it out, or export with --wacz")
        if self.post and self.format is not ExportFormat.CDXJ:
            raise UsageError("--post is about index lines; leave it out, or export with --cdxj")
        if self.signing is not None and (self.format is not ExportFormat.WACZ or self.is_to_stream):
            raise UsageError("what is signed is a WACZ in a file; name one with --wacz, or leave --sign out")
        if self.stamping is not None and self.signing is None:
            raise UsageError("authorities date what is signed; give --sign too, or leave --tsa out")
        if self.format is ExportFormat.WARC and not self.is_to_stream and not self.file.endswith(".gz"):
            name = self.file.removesuffix(".warc")
            raise UsageError(f"the records are compressed one by one, so name it {name}.warc.gz")

    @property
    def is_to_stream(self) -> bool:
        """Whether it goes to a stream and not into a file."""
        return self.file == STANDARD_OUTPUT


@check_arguments
def export(
    archive: StrPath,
    *,
    wacz: StrPath | None = None,
    warc: StrPath | None = None,
    cdxj: StrPath | None = None,
    states: StrPath | None = None,
    title: str = "",
    post: bool = False,
    replace: bool = False,
    dumps: bool = False,
    sign: bool = False,
    sign_key: StrPath | None = None,
    certificate: StrPath | None = None,
    passphrase_file: StrPath | None = None,
    authorities: Texts = (),
    stamp_authorities: StrPath | None = None,
    url: str | None = None,
    match: UrlMatch | str | None = None,
    capture: str | None = None,
    since: MomentLike | None = None,
    until: MomentLike | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> ExportSummary:
    """Hand on an archive, or a part of it, as one file: WACZ, WARC, CDXJ, or its client-side states.

    With `sign` a WACZ is signed as packages of `evidence` are, and dated by the `authorities` that are named.
    """
    targets = {ExportFormat.WACZ: wacz, ExportFormat.WARC: warc, ExportFormat.CDXJ: cdxj, ExportFormat.STATES: states}
    given = [(kind, read_path(file)) for kind, file in targets.items() if file is not None]
    if len(given) != 1:
        raise UsageError("an export is one file; give one of wacz, warc, cdxj and states")
    kind, path = given[0]
    wanted = SelectionRequest(url, match, capture, since, until)
    # A path never stands for standard output, which is the program's own.
    name = f"./{path}" if str(path) == STANDARD_OUTPUT else str(path)
    key, named, secret = map(read_path_or_none, (sign_key, certificate, passphrase_file))
    signing = make_signing_request(sign, SigningRequest(key, named, passphrase_file=secret))
    asked = list_texts(authorities, "authorities")
    stamping = _build_stamp_request(Path(name), asked, read_path_or_none(stamp_authorities)) if asked else None
    request = ExportRequest(read_path(archive), kind, name, wanted, title, post, replace, dumps, signing, stamping)
    return run_export(request, CallbackListener(on_progress, on_note))


def _build_stamp_request(file: Path, asked: tuple[str, ...], trusted: Path | None) -> StampRequest:
    from webkeep.api.package_stamping import StampRequest  # few exports need what is behind it

    return StampRequest(file, asked, trusted)


def run_export(
    request: ExportRequest,
    listener: WorkListener,
    stream: BinaryIO | None = None,
    write_line: Callable[[str], None] | None = None,
) -> ExportSummary:
    """Write an export into its file, or into a stream; nothing is left behind where it fails.

    Index lines go to `write_line`, where that is given.
    """
    seal = _open_seal(request)
    with open_archive(request.archive, listener) as archive, _open_target(request, stream) as target:
        selection = request.wanted.select(archive)
        if not selection.is_everything and next(selection.observations(archive), None) is None:
            raise UsageError(
                f"nothing in {request.archive} is selected; webkeep list {request.archive} shows what is there"
            )
        selection = dataclasses.replace(selection, dumps=request.dumps)
        counts = _write_export(request, archive, selection, _WatchedWriter(target, listener, write_line))
        if not request.dumps and (left := count_dumps(archive)):
            what = format_count(left, "dump")
            listener.on_note(f"{what} of databases left out, which are private; --dumps takes them along")
        if missing := describe_missing(archive):
            listener.on_note(missing)
        target.flush()
    values: SealValues = {}
    if seal is not None:
        with _nothing_left(Path(request.file)):
            values = seal()
    size = None if request.is_to_stream else Path(request.file).stat().st_size
    return ExportSummary(request.archive, request.file, **counts, bytes=size, **values)


@contextmanager
def _nothing_left(file: Path) -> Iterator[None]:
    """Remove a file where something comes in the way: what was to be signed does not stay behind unsigned."""
    try:
        yield
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _open_seal(request: ExportRequest) -> Callable[[], SealValues] | None:
    """What signs the export once it is there; None where nobody does. A wrong passphrase is told before anything."""
    if request.signing is None:
        return None
    from webkeep.api.export_seals import open_export_seal, seal_export  # few exports need what is behind it

    return partial(seal_export, open_export_seal(request.signing, request.stamping), Path(request.file))


def make_signing_request(is_signed: bool, named: SigningRequest) -> SigningRequest | None:
    """Who signs; None for nobody, and then no key is to be named."""
    if not is_signed and named != SigningRequest():
        raise UsageError("a key or certificate is named, and nothing is to be signed; give --sign too")
    return named if is_signed else None


class _WatchedWriter:
    """Writes to a stream, and counts the bytes while it is watched."""

    def __init__(
        self, stream: BinaryIO, listener: WorkListener, write_line: Callable[[str], None] | None = None
    ) -> None:
        self._stream = stream
        self._size = 0
        self.write_line = write_line or self._encode_line
        self.watch = WorkWatch(listener, "exporting", lambda: {"bytes": self._size})

    def write(self, piece: bytes) -> int:
        self.watch.tick()
        count = self._stream.write(piece)
        self._size += count
        return count

    def _encode_line(self, text: str) -> None:
        self.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def __getattr__(self, name: str) -> object:
        """Whatever else a stream can do, by the stream itself."""
        return getattr(self._stream, name)


def _write_export(
    request: ExportRequest, archive: Archive, selection: Selection, writer: _WatchedWriter
) -> dict[str, int]:
    """Write the export of the kind that is wanted; gives what it consists of."""
    with writer.watch:
        match request.format:
            case ExportFormat.WACZ:
                workspace = None if request.is_to_stream else Path(request.file).absolute().parent
                lines, pages = write_wacz(
                    archive, selection, cast(BinaryIO, writer), request.title, workspace, request.dumps
                )
                return {"index_lines": lines, "pages": pages}
            case ExportFormat.STATES:
                return {"states": _write_states(archive, selection, request.file, writer.write)}
            case ExportFormat.WARC:
                return {"records": write_warc(WarcExport(archive, selection, request.dumps), writer.write)}
            case ExportFormat.CDXJ:
                return {"index_lines": _write_cdxj(archive, selection, writer.write_line, request.post)}


def _write_cdxj(archive: Archive, selection: Selection, write: Callable[[str], None], post: bool) -> int:
    entries = archive.entries(selection.url, selection.match, selection.since, selection.until)
    if selection.pattern or not selection.dumps:
        entries = (entry for entry in entries if selection.includes_url(entry.url))
    if selection.capture:
        entries = (entry for entry in entries if _is_in_capture(archive, entry.place, selection.capture))
    count = 0
    for count, line in enumerate(cdx_lines(entries, post), 1):  # noqa: B007 - the count outlives the loop
        write(line)
    return count


def _write_states(archive: Archive, selection: Selection, name: str, write: Callable[[bytes], object]) -> int:
    from webkeep.api.state_files import no_states_advice, render_machines  # few exports need what is behind it

    notes = [note for _, note in select_states(archive, selection)]
    pieces = render_machines(iter(notes), name)
    if not notes:
        where = archive.path if selection.is_everything else f"what is selected of {archive.path}"
        raise UsageError(f"there are no states in {where}; {no_states_advice(archive)}")
    for piece in pieces:
        write(piece)
    return len(notes)


def _is_in_capture(archive: Archive, place: RecordPlace, capture: str) -> bool:
    observation = archive.catalog.observations.find_at(place.file, place.offset)
    return observation is not None and observation.capture == capture


@contextmanager
def _open_target(request: ExportRequest, stream: BinaryIO | None) -> Iterator[BinaryIO]:
    if stream is not None:
        yield stream
        return
    path = Path(request.file)
    if path.is_dir():
        raise UsageError(f"{request.file or path} is a directory; name a file in it")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no directory {path.parent} to write {path.name} to; make it, or name another")
    if path.exists() and not request.replace:
        raise UsageError(f"{path} is there already; give --replace to write over it")
    with open_target_file(path, replace=True) as target:
        yield target
