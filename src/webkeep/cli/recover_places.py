"""Where a recovery writes and what it is held against: looked at before it begins, hours before its end as may be."""

from __future__ import annotations

from pathlib import Path

from webkeep.cli.recover_original import original_at
from webkeep.errors import UsageError
from webkeep.mirror.placing import check_place
from webkeep.recover.rehosting import check_rehost_place


def check_places(
    into: Path | None, copy: Path | None, rehost: Path | None, texts: tuple[Path | None, ...], original: str | None
) -> None:
    """Raise UsageError where something could not be written or read in the end."""
    if into is None:
        raise UsageError("nowhere to keep what is recovered; name an archive with --into")
    parent = into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {into.name} in; make it first")
    if copy is not None:
        check_place(copy)
    if rehost is not None:
        check_rehost_place(rehost)
    for text in texts:
        if text is not None and (not text.name or text.is_dir()):
            raise UsageError(f"{text} is a directory; name a file to write to")
    if original is not None:
        original_at(original)
