"""`verify` of a package: whether it is whole, by whom, since when, and what it proves; whom to trust is given."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from cryptography.x509 import Certificate

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path, read_path_or_none
from webkeep.api.verification import read_kept_checkpoint
from webkeep.api.work_listener import CallbackListener, FindingCallback, ProgressCallback, WorkListener, WorkWatch
from webkeep.api.work_summary import WorkSummary
from webkeep.clock import SystemClock
from webkeep.errors import FormatError, UsageError
from webkeep.evidence.sealing import PACKAGE_NAME
from webkeep.evidence.verification import PackageTrust, PackageVerdict, check_folder, verify_package as judge_package
from webkeep.signing import VerifyingKey, public_authorities, read_authorities
from webkeep.store.folder import is_archive
from webkeep.store.log import KeptCheckpoint

_FINGERPRINT = re.compile(r"sha256:[0-9a-f]{64}")
_MAX_KEY_BYTES = 64 << 10
"""A file with a public key is no larger."""


@dataclass(frozen=True, slots=True)
class PackageSummary(WorkSummary):
    """What is known of a package."""

    verdict: PackageVerdict

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        return self.verdict.to_dict()


@dataclass(frozen=True, slots=True)
class PackageRequest:
    """Which package, whom to trust, and what has to be there."""

    path: Path
    keys: tuple[str, ...] = ()
    """Of which one must have signed: files with public keys, or fingerprints."""
    authorities: Path | None = None
    """Certificates that are trusted beside those that browsers trust, for certificates that sign."""
    stamp_authorities: Path | None = None
    """The same for time-stamping authorities."""
    unsigned: bool = False
    """Whether a file that nobody signed will do."""
    stamped: bool = False
    """Whether a time stamp has to be there."""
    kept: KeptCheckpoint = field(default_factory=KeptCheckpoint)
    """A checkpoint of its log that somebody kept elsewhere, and the key that must have signed."""

    def list_files(self) -> tuple[Path, ...]:
        """The files of whoever verifies, which may lie beside the package and are no part of it."""
        keys = (Path(each) for each in self.keys if not _FINGERPRINT.fullmatch(each.strip()))
        return (*keys, *(each for each in (self.authorities, self.stamp_authorities) if each is not None))


@check_arguments
def verify_package(
    package: StrPath,
    *,
    keys: Texts = (),
    authorities: StrPath | None = None,
    stamp_authorities: StrPath | None = None,
    unsigned: bool = False,
    stamped: bool = False,
    checkpoint: StrPath | None = None,
    log_key: str = "",
    on_finding: FindingCallback | None = None,
    on_progress: ProgressCallback | None = None,
) -> PackageSummary:
    """Check a WACZ or WARC file without a network: whole, by whom, since when, what is proven, what is missing."""
    request = PackageRequest(
        read_path(package),
        list_texts(keys, "keys"),
        read_path_or_none(authorities),
        read_path_or_none(stamp_authorities),
        unsigned,
        stamped,
        read_kept_checkpoint(read_path_or_none(checkpoint), log_key),
    )
    return run_verify_package(request, CallbackListener(on_progress, on_finding=on_finding))


def find_package(path: Path) -> Path | None:
    """The package that a path means: itself, or that in a folder of evidence; None where it is an archive."""
    if path.is_dir():
        if (path / PACKAGE_NAME).is_file():
            return path / PACKAGE_NAME
        _refuse_renamed(path)
        return None
    return path if path.is_file() else None


def _refuse_renamed(folder: Path) -> None:
    """Raise UsageError where a package lies in a folder under another name than its files beside it go by."""
    found = [] if is_archive(folder) else sorted(folder.glob("*.wacz"))
    if found:
        raise UsageError(f"there is no {PACKAGE_NAME} in {folder}; name the file itself ({found[0]})")


def run_verify_package(request: PackageRequest, listener: WorkListener) -> PackageSummary:
    """Check a package, and tell whoever listens."""
    path = find_package(request.path)
    if path is None:
        raise UsageError(f"there is no package {request.path}; name a WACZ or WARC file, or a folder with one")
    counts = {"records": 0}

    def count_record() -> None:
        counts["records"] += 1
        watch.tick()

    with WorkWatch(listener, "verifying", lambda: counts) as watch:
        verdict = judge_package(path, _build_trust(request), count_record)
    if request.path.is_dir():
        verdict = replace(verdict, findings=(*verdict.findings, *check_folder(request.path, request.list_files())))
    for finding in verdict.findings:
        listener.on_finding(finding)
    return PackageSummary(verdict)


def _build_trust(request: PackageRequest) -> PackageTrust:
    named = [text.strip() for text in request.keys]
    return PackageTrust(
        SystemClock().now(),
        (*public_authorities(), *_read_authorities(request.authorities)),
        (*public_authorities(), *_read_authorities(request.stamp_authorities)),
        tuple(_read_key(text) for text in named if not _FINGERPRINT.fullmatch(text)),
        tuple(text for text in named if _FINGERPRINT.fullmatch(text)),
        not request.unsigned,
        request.stamped,
        request.kept,
    )


def _read_authorities(path: Path | None) -> tuple[Certificate, ...]:
    return read_authorities(path) if path is not None else ()


def _read_key(text: str) -> VerifyingKey:
    """A public key in a file: PEM, base64, or a certificate's."""
    try:
        with Path(text).open("rb") as stream:
            return VerifyingKey.from_text(stream.read(_MAX_KEY_BYTES).decode("ascii", "replace"))
    except OSError as error:
        advice = "name a file with a public key, or a fingerprint (sha256:…)"
        raise UsageError(f"the key {text} cannot be read ({error.strerror}); {advice}") from error
    except FormatError as error:
        raise UsageError(f"{text} holds no public key in PEM or base64; check the file") from error
