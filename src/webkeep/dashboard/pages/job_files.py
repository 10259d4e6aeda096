"""What is made out of a capture when somebody asks for it: files to take along, the report, the certificate.

Each is made by a process beside the service (`SideWork`), and sent once it is whole. Who asks waits a few seconds; what
takes longer is told with how far it is, on a page that asks again by itself.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.pages.job_results import archive_of, capture_of, find_job
from webkeep.dashboard.rendering import render
from webkeep.errors import UsageError
from webkeep.service.jobs import Job, JobKind
from webkeep.service.run import PACKAGE_NAME, ZIP_PROGRAM, SidePiece, SideStage

_PATIENCE_SECONDS = 4.0
"""So long an answer is held back for what is nearly done."""
_REFRESH_SECONDS = 2
"""After which the page asks again that tells how far it is; the answer to that is held back in turn."""
_LOOK_SECONDS = 0.05
"""So often it is looked whether it is made: nobody notices less."""
_MAX_SECONDS = 6 * 3600.0
"""So long a file may take to be made: archives of a terabyte are taken along otherwise."""
_PAGE_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:"
)
"""Of reports and certificates, which are one file with style and scripts in it: they run apart from the service, with
no origin."""


@dataclass(frozen=True, slots=True)
class _Making:
    """What a file is made of."""

    folder: Path
    archive: Path
    capture: str
    page: str
    """The page that is wanted, where it is one."""

    @property
    def scratch(self) -> Path:
        """What is needed on the way."""
        return self.folder / "scratch"


@dataclass(frozen=True, slots=True)
class JobFile:
    """One kind of file that is made out of a capture."""

    name: str
    label: str
    help: str
    ending: str
    media_type: str
    words: Callable[[_Making, Path], list[str]]
    """The command that makes it, of what and where to."""
    is_shown: bool = False
    """Whether it is a page to be read at once, and not to be kept."""
    is_of_a_page: bool = False


def _export(option: str) -> Callable[[_Making, Path], list[str]]:
    return lambda making, made: [
        "export", str(making.archive), f"--{option}={made}", f"--capture={making.capture}"
    ]  # fmt: skip


def _pack(making: _Making, made: Path) -> list[str]:
    return ["mirror", str(making.archive), str(making.scratch), f"--capture={making.capture}", f"--zip={made}"]


def _write_page(making: _Making, made: Path) -> list[str]:
    chosen = (f"--capture={making.capture}", f"--single-file={making.page}")
    return ["mirror", str(making.archive), str(made), *chosen]


def _write_report(making: _Making, made: Path) -> list[str]:
    aside = [f"--output={making.folder / 'report.json'}", f"--plan={making.folder / 'next.toml'}"]
    return ["report", str(making.archive), f"--capture={making.capture}", f"--html={made}", *aside]


def _write_certificate(making: _Making, made: Path) -> list[str]:
    return ["certify", str(making.archive), f"--capture={making.capture}", f"--html={made}"]


_HTML = "text/html; charset=utf-8"
FILES = (
    JobFile("wacz", "WACZ", "everything, for webkeep, ReplayWeb.page and other players", "wacz", "application/wacz",
            _export("wacz")),
    JobFile("warc", "WARC", "the records alone, as archives keep them", "warc.gz", "application/warc", _export("warc")),
    JobFile("zip", "ZIP of a copy", "opens in any browser from a disk; no program is needed", "zip", "application/zip",
            _pack),
    JobFile("tar", "tar.gz of a copy", "the same for Unix", "tar.gz", "application/gzip", _pack),
    JobFile("page", "One page as a file", "a page with all it needs in one HTML file", "html", _HTML, _write_page,
            is_of_a_page=True),
)  # fmt: skip
"""What can be taken along."""
REPORT = JobFile("report", "Report", "what the capture is worth", "html", _HTML, _write_report, is_shown=True)
CERTIFICATE = JobFile("certificate", "Certificate", "what fits together in time", "html", _HTML, _write_certificate,
                      is_shown=True)  # fmt: skip
_PACKAGE = JobFile("package", "Package", "the package of evidence", "zip", "application/zip", _pack)
_DOWNLOADS = {each.name: each for each in FILES}


async def show_downloads(request: Request) -> Response:
    """All files that can be made out of the capture of a job, and which are there."""
    job = await find_job(request)
    capture_of(job)
    work = page_of(request).service.side_work
    known = {each.name: work.find(_piece_name(job, each, _seed_of(job))) for each in FILES}
    sizes = {name: _describe_piece(_DOWNLOADS[name], piece) for name, piece in known.items() if piece is not None}
    return render(request, "downloads.html", job=job, files=FILES, sizes=sizes, seed=_seed_of(job))


async def download_file(request: Request) -> Response:
    """One file made out of the capture of a job."""
    kind = _DOWNLOADS.get(request.path_params["format"])
    if kind is None:
        raise HTTPException(404)
    return await _answer_file(request, kind)


async def show_report(request: Request) -> Response:
    """What the capture of a job is worth."""
    return await _answer_file(request, REPORT)


async def show_certificate(request: Request) -> Response:
    """What of the capture of a job fits together in time."""
    return await _answer_file(request, CERTIFICATE)


async def show_cover_sheet(request: Request) -> Response:
    """The cover sheet of a package of evidence."""
    path = (await _find_package(request)) / "cover.html"
    return FileResponse(path, media_type=_HTML, headers={"content-security-policy": _PAGE_POLICY})


async def download_package(request: Request) -> Response:
    """A package of evidence as one ZIP file."""
    job, package = await find_job(request), await _find_package(request)
    work = page_of(request).service.side_work

    def make_words(folder: Path) -> list[str]:
        return ["-c", str(folder / "made.zip"), f"{package}/"]

    piece = await asyncio.to_thread(
        work.begin, f"{job.id}-{job.attempts}-package", make_words, _MAX_SECONDS, ZIP_PROGRAM
    )
    return await _answer_piece(request, job, _PACKAGE, piece)


async def _find_package(request: Request) -> Path:
    job = await find_job(request)
    package = page_of(request).service.folder.workspace(job.id).results_path / PACKAGE_NAME
    if job.order.kind is not JobKind.EVIDENCE or not (package / "cover.html").is_file():
        raise UsageError("this job has made no package; wait until it is done")
    return package


async def _answer_file(request: Request, kind: JobFile) -> Response:
    job = await find_job(request)
    page = request.query_params.get("url", "") or _seed_of(job) if kind.is_of_a_page else ""
    piece = await asyncio.to_thread(_begin, request, job, kind, page)
    return await _answer_piece(request, job, kind, piece)


async def _answer_piece(request: Request, job: Job, kind: JobFile, piece: SidePiece) -> Response:
    await await_piece(piece, _PATIENCE_SECONDS)
    if piece.stage is SideStage.FAILED:
        raise UsageError(f"{kind.label}: {piece.message}")
    made = _made_path(piece.folder, kind)
    if piece.stage is not SideStage.DONE or not made.is_file():
        values = {"job": job, "kind": kind, "size": await asyncio.to_thread(lambda: piece.bytes)}
        answer = render(request, "file_waits.html", 202, waiting=piece.stage is SideStage.WAITING, **values)
        answer.headers["refresh"] = str(_REFRESH_SECONDS)
        return answer
    if kind.is_shown:
        return FileResponse(made, media_type=kind.media_type, headers={"content-security-policy": _PAGE_POLICY})
    return FileResponse(made, media_type=kind.media_type, filename=f"{job.id}.{kind.ending}")


async def await_piece(piece: SidePiece, seconds: float) -> None:
    """Wait until a piece of work is over, for so long at most; it keeps no thread busy."""
    loop = asyncio.get_running_loop()
    latest = loop.time() + seconds
    while not piece.over.is_set() and loop.time() < latest:
        await asyncio.sleep(_LOOK_SECONDS)


def _begin(request: Request, job: Job, kind: JobFile, page: str) -> SidePiece:
    service = page_of(request).service
    archive, capture = archive_of(service, job), capture_of(job)

    def make_words(folder: Path) -> list[str]:
        return kind.words(_Making(folder, archive, capture, page), _made_path(folder, kind))

    return service.side_work.begin(_piece_name(job, kind, page), make_words, _MAX_SECONDS)


def _made_path(folder: Path, kind: JobFile) -> Path:
    return folder / f"made.{kind.ending}"


def _piece_name(job: Job, kind: JobFile, page: str) -> str:
    """What is made once for all who ask for it; the attempt is in it, since a job that is tried again has more."""
    of_page = f"-{hashlib.sha256(page.encode()).hexdigest()[:16]}" if kind.is_of_a_page else ""
    return f"{job.id}-{job.attempts}-{kind.name}{of_page}"


def _seed_of(job: Job) -> str:
    seeds = job.order.plan.get("seeds") or [""]
    return str(seeds if isinstance(seeds, str) else seeds[0])


def _describe_piece(kind: JobFile, piece: SidePiece) -> str:
    made = _made_path(piece.folder, kind)
    if piece.stage is SideStage.DONE and made.is_file():
        return f"ready, {made.stat().st_size:,} bytes"
    return {SideStage.FAILED: piece.message}.get(piece.stage, "is being made")
