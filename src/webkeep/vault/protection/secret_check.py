"""Nothing is published unencrypted that holds keys or passwords: the check before packing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.redaction import find_secrets
from webkeep.vault.components.selection import SelectedFile
from webkeep.vault.container.packed_entry import EntryKind
from webkeep.vault.container.packed_files import read_packed_files

_MAX_NAMED_FILES = 3
"""Places that the message names."""


def refuse_secrets(files: Iterable[SelectedFile]) -> None:
    """Raise UsageError where files that are to be packed in the open hold secrets."""
    found = []
    for each in files:
        if each.source is None or each.entry.kind is not EntryKind.FILE:
            continue
        where = _find_secret(each.source, each.entry.path)
        if where:
            found.append(where)
    if found:
        more = f" and {len(found) - _MAX_NAMED_FILES:,} more files" if len(found) > _MAX_NAMED_FILES else ""
        raise UsageError(
            f"there are secrets in what everyone could read: {', '.join(found[:_MAX_NAMED_FILES])}{more}; encrypt it "
            "(--passphrase-file, --recipient), leave these files out by --exclude, or say --publish-secrets"
        )


def _find_secret(source: Path, path: str) -> str:
    """Where the first secret of a file is, looked for in what is packed in it too; "" where none is found."""
    for name, chunks in read_packed_files(source, path):
        first = next(find_secrets(chunks, name), None)
        if first is not None:
            return f"{name} line {first[0]} ({first[1]})"
    return ""
