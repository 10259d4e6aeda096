"""Small archives for tests of copies: what was seen where, when, and with what head."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webkeep.mirror import CopyOptions, MirrorResult, mirror
from webkeep.mirror.selection import CopySelection
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive

SITE = "https://example.org"
DAY = Moment.parse("2024-03-01")
HTML = "text/html; charset=utf-8"


def seen(
    path: str,
    body: bytes | str = b"",
    media_type: str = HTML,
    status: int = 200,
    seconds: float = 0,
    via: str = "",
    **fields: str,
) -> Exchange:
    """One exchange; other fields of its head by their names, low lines for hyphens."""
    lines = [f"HTTP/1.1 {status} Said", *([f"Content-Type: {media_type}"] if media_type else [])]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    content = body.encode() if isinstance(body, str) else body
    url = path if "://" in path else SITE + path
    head = "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")
    return Exchange(url, DAY.plus(seconds), head, BytesBody(content), via=via)


def archived(path: Path, *exchanges: Exchange) -> Path:
    """An archive of these, in one capture; more are put into one that is there."""
    with WritableArchive.open_or_create(path) as archive, archive.begin("test", [f"{SITE}/"]) as capture:
        for each in exchanges:
            capture.append(each)
    return path


def copied(
    archive: Path, out: Path, wanted: CopySelection | None = None, form: CopyOptions | None = None
) -> MirrorResult:
    """A copy of an archive."""
    with Archive(archive) as opened:
        return mirror(opened, wanted or CopySelection(opened.clock.now()), out, form)


def texts(folder: Path) -> Mapping[str, bytes]:
    """All files below a folder by their names, but for what is the copy's own."""
    found = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    own = ("_webkeep", "index.html")
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(own)}
