"""Archives made by hand in which resources are seen at the moments and in the states that a test wants."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.coherence.certificates import MEDIA_TYPE, CaptureIntent, intent_urn
from webkeep.model import BytesBody, Exchange, Moment, VisitKind
from webkeep.store.archive import OpenCapture, WritableArchive

DAY = Moment.parse("2024-03-01T12:00:00Z")
HTML = "text/html"


@dataclass(frozen=True, slots=True)
class Look:
    """One answer of a server, so many seconds after noon."""

    path: str
    seconds: float
    body: bytes = b"<p>as it is</p>"
    status: int = 200
    type: str = HTML
    fields: Sequence[tuple[str, str]] = field(default_factory=tuple)
    revisit: bool = False

    def exchange(self) -> Exchange:
        lines = [f"HTTP/1.1 {self.status} Said", *(f"{name}: {value}" for name, value in self.fields)]
        if self.type and self.status != 304:
            lines.append(f"Content-Type: {self.type}")
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        body = b"" if self.status == 304 else self.body
        return Exchange(
            f"http://site.example{self.path}",
            DAY.plus(self.seconds),
            head,
            BytesBody(body),
            visit=VisitKind.REVISIT if self.revisit else VisitKind.VISIT,
        )


def again(path: str, seconds: float, body: bytes = b"<p>as it is</p>", **said: object) -> Look:
    """A revisit."""
    return Look(path, seconds, body, revisit=True, **said)


def keep_intent(archive: WritableArchive, capture: OpenCapture, intent: CaptureIntent) -> None:
    for block in intent.render_notes():
        archive.submit_metadata(capture.id, intent_urn(capture.id), MEDIA_TYPE, block).result()


def capture_of(archive: WritableArchive, looks: Sequence[Look], intent: CaptureIntent | None = None) -> str:
    """A capture of these looks, stored in their order; gives its identifier."""
    with archive.begin("capture", ["http://site.example/"]) as capture:
        for look in looks:
            capture.submit(look.exchange())
        if intent is not None:
            keep_intent(archive, capture, intent)
    return capture.id


def new_archive(path: Path) -> WritableArchive:
    return WritableArchive.create(path)
