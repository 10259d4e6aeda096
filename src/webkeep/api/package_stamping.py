"""`stamp`: time stamps for a package that is signed already, at once or long after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path, read_path_or_none
from webkeep.api.package_verification import find_package
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.evidence.sealing import AuthorityClient, StampingResult, lay_seals_beside, stamp_package
from webkeep.fetch import FetchSettings, split_credentials
from webkeep.signing import StampVerifier, public_authorities, read_authorities

_CONNECTIONS = 8
"""Authorities that are asked at a time; people name two or three."""


@dataclass(frozen=True, slots=True)
class StampSummary(WorkSummary):
    """What authorities gave for a package."""

    package: Path
    result: StampingResult

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        result = self.result
        return {
            "package": str(self.package),
            "stamps": [
                {
                    "url": each.authority,
                    "authority": each.stamp.authority,
                    "moment": each.stamp.moment.iso(),
                    "serial": str(each.stamp.serial),
                }
                for each in result.answers
            ],
            "failed": [{"url": each.authority, "code": each.code, "reason": each.meaning} for each in result.failures],
            "signed": result.signed.iso() if result.signed else None,
            "gap_seconds": result.gap_seconds,
        }


@dataclass(frozen=True, slots=True)
class StampRequest:
    """Which package, and whom to ask in which way."""

    path: Path
    authorities: tuple[str, ...]
    """Addresses of time-stamping authorities."""
    stamp_authorities: Path | None = None
    """Certificates that are trusted beside those that browsers trust."""
    resolve: tuple[str, ...] = ()
    proxy: str = ""
    server_authorities: str = ""
    """Certificates that are trusted for the servers that are asked, by `https:`."""

    def __post_init__(self) -> None:
        """What can be known to be a wrong call before anybody is asked."""
        if not self.authorities:
            raise UsageError("no time-stamping authority was named; name one with --tsa URL")
        for each in self.authorities:
            if not each.startswith(("http://", "https://")):
                raise UsageError(f"{each!r} is no address of a time-stamping authority; it begins with http")
            split_credentials(each)


@check_arguments
def stamp(
    package: StrPath,
    authorities: Texts,
    *,
    stamp_authorities: StrPath | None = None,
    resolve: Texts = (),
    proxy: str = "",
    on_note: NoteCallback | None = None,
) -> StampSummary:
    """Have time-stamping authorities date a signed package, and put what they give into it."""
    request = StampRequest(
        read_path(package),
        list_texts(authorities, "authorities"),
        read_path_or_none(stamp_authorities),
        list_texts(resolve, "resolve"),
        proxy,
    )
    return run_stamp(request, CallbackListener(on_note=on_note))


def run_stamp(request: StampRequest, listener: WorkListener) -> StampSummary:
    """Have a package dated, and tell whoever listens."""
    path = find_package(request.path)
    if path is None:
        raise UsageError(f"there is no package {request.path}; name a WACZ file, or a folder with one")
    result = stamp_package(path, request.authorities, authority_client(request))
    if request.path.is_dir() and result.answers:
        lay_seals_beside(path)
    for failure in result.failures:
        listener.on_note(str(failure))
    return StampSummary(path, result)


def authority_client(request: StampRequest) -> AuthorityClient:
    """Whoever asks authorities as a request says."""
    given = read_authorities(request.stamp_authorities) if request.stamp_authorities is not None else ()
    settings = FetchSettings(
        connections=_CONNECTIONS,
        connections_per_host=_CONNECTIONS,
        resolve=request.resolve,
        proxy=request.proxy,
        certificate_authorities=request.server_authorities,
    )
    return AuthorityClient(StampVerifier((*given, *public_authorities()), SystemClock().now()), settings)
