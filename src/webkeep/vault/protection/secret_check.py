"""Nothing is published unencrypted that holds keys or passwords: the check before packing."""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.errors import UsageError
from webkeep.redaction import find_secrets
from webkeep.vault.components.selection import SelectedFile
from webkeep.vault.container.packed_entry import EntryKind
from webkeep.vault.protection.segment_packing import read_exactly

_MAX_NAMED_FILES = 3
"""Places that the message names."""


def refuse_secrets(files: Iterable[SelectedFile]) -> None:
    """Raise UsageError where files that are to be packed in the open hold secrets."""
    found = []
    for each in files:
        if each.source is None or each.entry.kind is not EntryKind.FILE:
            continue
        first = next(find_secrets(read_exactly(each.source, each.entry.size)), None)
        if first is not None:
            found.append(f"{each.entry.path} line {first[0]} ({first[1]})")
    if found:
        more = f" and {len(found) - _MAX_NAMED_FILES:,} more files" if len(found) > _MAX_NAMED_FILES else ""
        raise UsageError(
            f"there are secrets in what everyone could read: {', '.join(found[:_MAX_NAMED_FILES])}{more}; encrypt it "
            "(--passphrase-file, --recipient), leave these files out by --exclude, or say --publish-secrets"
        )
