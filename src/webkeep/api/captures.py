"""`capture`: a website turned into an archive; what is said where an unfinished capture with another plan lies beside
it, and the summary with its JSON keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Unpack

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, check_archive_parent, read_path, read_path_or_none, read_paths
from webkeep.api.arguments.capture_options import CaptureOptions, name_options, plan_values_from_options
from webkeep.api.arguments.plan_file import build_capture_plan, merge_plan_values
from webkeep.api.logged_writing import open_to_write
from webkeep.api.work_listener import CallbackListener, FindingCallback, NoteCallback, WorkListener
from webkeep.api.work_summary import SHORT_ID_CHARS, WorkSummary
from webkeep.crawl import CaptureResult, capture as capture_site
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import (
    CaptureObserver,
    CaptureProgress,
    NullCaptureObserver,
    find_resumable,
    unfinished_captures,
)
from webkeep.frontier.traps import Trap
from webkeep.model import Capture, UrlOutcome
from webkeep.presentation import format_moment
from webkeep.process import call_cleanly
from webkeep.store.archive import WritableArchive
from webkeep.store.jobs import PLAN_FACT

if TYPE_CHECKING:
    from webkeep.coherence.certificates import CertificateSummary, CoherenceCertificate
    from webkeep.crawl.browsing import BrowserReport

_MAX_VALUE_CHARS = 80
"""More of a plan's value would bury the line that says how two plans differ."""
MAX_PAGE_FAILURES_LISTED = 20
"""Pages that could not be run are named up to this number."""

CaptureProgressCallback: TypeAlias = Callable[[CaptureProgress], object]


@dataclass(frozen=True, slots=True)
class CaptureSummary(CaptureResult, WorkSummary):
    """What a capture came to."""

    archive: Path = Path()
    coherence: CertificateSummary | None = None
    """What its certificate says, where it was to be coherent."""
    flaws: int = 0
    """Findings in what workers wrote, come upon as that was brought into one archive: theirs are to be kept."""

    @property
    def stored(self) -> int:
        """URLs that were stored with content that was new."""
        return self.counts.get(UrlOutcome.STORED, 0)

    @property
    def duplicates(self) -> int:
        """URLs that were stored with content that was held already."""
        return self.counts.get(UrlOutcome.DUPLICATE, 0)

    @property
    def failed(self) -> int:
        """URLs that could not be had."""
        return self.counts.get(UrlOutcome.FAILED, 0)

    @property
    def refused(self) -> int:
        """URLs that were not asked for, by robots.txt and the like."""
        return self.counts.get(UrlOutcome.REFUSED, 0)

    @property
    def taken_down(self) -> int:
        """URLs that were taken down before, and not asked for."""
        return self.counts.get(UrlOutcome.TAKEN_DOWN, 0)

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        return capture_values(self)


def capture_values(done: CaptureSummary) -> dict[str, object]:
    """What programs are told of a capture."""
    return {
        "archive": str(done.archive),
        "capture": done.capture,
        "finished": done.finished,
        "resumed": done.resumed,
        "stored": done.stored,
        "duplicates": done.duplicates,
        "failed": done.failed,
        "refused": done.refused,
        "taken_down": done.taken_down,
        "bytes": done.bytes,
        "seconds": round(done.seconds, 3),
        "seeds_missed": len(done.seeds_missed),
        "not_seen_again": done.not_seen_again,
        "fates": {outcome.value: done.counts.get(outcome, 0) for outcome in UrlOutcome},
        "traps": [trap_values(trap) for trap in done.traps],
        "hosts": done.hosts,
        **_browser_values(done.browsed),
        **({"data": [compared.to_values() for compared in done.data]} if done.data else {}),
        **_coherence_values(done.coherence),
        **({"login_ended": done.login_ended} if done.login_ended else {}),
        **({"flaws": done.flaws} if done.flaws else {}),
    }


def trap_values(trap: Trap) -> dict[str, object]:
    """What programs are told of a trap."""
    return {"kind": trap.kind, "pattern": trap.shape, "left_out": trap.left_out, "advice": trap.advice}


def _browser_values(browsed: BrowserReport | None) -> dict[str, object]:
    if browsed is None:
        return {}
    values = asdict(browsed)
    values["seconds"] = round(browsed.seconds, 3)
    return {"browser": {**values, "failures": dict(islice(browsed.failures.items(), MAX_PAGE_FAILURES_LISTED))}}


def _coherence_values(summary: CertificateSummary | None) -> dict[str, object]:
    if summary is None:
        return {}
    from webkeep.coherence.certificates import summary_values

    return {"coherence": summary_values(summary)}


class CallbackObserver(NullCaptureObserver):
    """Hands on to the functions that a program gave."""

    def __init__(self, on_progress: CaptureProgressCallback | None, on_note: NoteCallback | None) -> None:
        self._progress = on_progress
        self._note = on_note

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        if self._note is not None:
            self._note(text)

    def on_progress(self, progress: CaptureProgress) -> None:
        """How it is doing now."""
        if self._progress is not None:
            self._progress(progress)


@name_options(CaptureOptions)
@check_arguments
def capture(
    *seeds: str,
    into: StrPath,
    new: bool = False,
    keep_log: bool = False,
    plan: StrPath | None = None,
    seeds_from: StrPath | Iterable[StrPath] = (),
    on_progress: CaptureProgressCallback | None = None,
    on_note: NoteCallback | None = None,
    on_finding: FindingCallback | None = None,
    **options: Unpack[CaptureOptions],
) -> CaptureSummary:
    """Turn a website into an archive, or go on with a capture of the same plan that was stopped.

    `plan` is a file in TOML, which the options overrule; `seeds_from` names files of further seeds; `new` begins anew;
    `keep_log` has the archive keep a log of its records.
    """
    observer = CallbackObserver(on_progress, on_note)
    values = merge_plan_values(read_path_or_none(plan), plan_values_from_options(options))
    made = build_capture_plan(values, seeds, map(str, read_paths(seeds_from)), observer.on_note)
    path, listener = read_path(into), CallbackListener(on_note=on_note, on_finding=on_finding)
    return call_cleanly(lambda: run_capture(made, path, observer, listener, new, keep_log))


def run_capture(
    plan: CapturePlan,
    into: Path,
    observer: CaptureObserver,
    listener: WorkListener,
    new: bool,
    keep_log: bool = False,
) -> CaptureSummary:
    """Carry a plan out into an archive; Ctrl-C ends it in good order, and the summary says that it is not finished."""
    check_archive_parent(into)
    with open_to_write(into, listener.on_note, keep_log=keep_log) as archive:
        for finding in archive.repair_findings:
            listener.on_finding(finding)
        if not new:
            _tell_unfinished(plan, archive, observer)
        return capture_and_certify(plan, archive, observer, into, new)


def capture_and_certify(
    plan: CapturePlan, archive: WritableArchive, observer: CaptureObserver, path: Path, new: bool, updates: str = ""
) -> CaptureSummary:
    """Capture into an archive that is open, and certify what was to be coherent."""
    certificates: list[CoherenceCertificate] = []

    def certify(into: WritableArchive, capture_id: str) -> None:
        from webkeep.quality.certificates import keep_certificate

        certificates.append(keep_certificate(into, capture_id))

    result = capture_site(plan, archive, observer, new, certify, updates)
    own = {each.name: getattr(result, each.name) for each in fields(result)}
    return CaptureSummary(**own, archive=path, coherence=certificates[0].summary if certificates else None)


def _tell_unfinished(plan: CapturePlan, archive: WritableArchive, observer: CaptureObserver) -> None:
    """Where a new capture is begun beside one that is not finished, say so, and what would go on with that."""
    other = next((each for each in unfinished_captures(archive) if each.facts.get(PLAN_FACT)), None)
    if other is None or find_resumable(archive, plan) is not None:
        return
    differences = plan.differences(other.facts[PLAN_FACT])
    said = ", ".join(_plan_value_words(name.replace("_", "-"), there) for name, (there, _) in differences.items())
    observer.on_note(
        f"{capture_name(other)} is not finished; with {said} the command would go on with it, and this is a new one"
    )


def capture_name(capture: Capture) -> str:
    """What people are told a capture by."""
    return f"capture {capture.id[:SHORT_ID_CHARS]} of {format_moment(capture.started)}"


def _plan_value_words(name: str, value: object) -> str:
    """What a plan says, short."""
    if value is None:
        return f"no {name}"
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name} {text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + '…'}"
