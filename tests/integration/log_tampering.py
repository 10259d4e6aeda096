"""Ways to tamper with an archive that keeps a log, each as a function over a copy of it."""

import gzip
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from logged_archives import members

from webkeep.formats.warc import build_member, build_record_head
from webkeep.store.folder import ArchiveLayout
from webkeep.store.log.log_notes import LogNote, takedown_notes

Tampering = Callable[[Path], None]


def warc_files(path: Path) -> list[Path]:
    return [path / "warcs" / name for name in ArchiveLayout(path).warc_names()]


def write_members(file: Path, records: list[bytes]) -> None:
    file.write_bytes(b"".join(gzip.compress(each, mtime=0) for each in records))


def change_bytes(record: bytes) -> bytes:
    """The record with one byte of its block another one, digests left as they are."""
    head, mark, rest = record.partition(b"\r\n\r\n")
    at = len(rest) // 2 if len(rest) > 4 else 0
    changed = rest[:at] + bytes([rest[at] ^ 1]) + rest[at + 1 :] if len(rest) > 4 else rest
    return head + mark + changed if changed != rest else record.replace(b"WARC-Date: 20", b"WARC-Date: 19")


def change_head(record: bytes) -> bytes:
    """The record with another date, which no digest is over."""
    return record.replace(b"WARC-Date: 2", b"WARC-Date: 1", 1)


def edit_file(number: int, edit: Callable[[list[bytes]], list[bytes]]) -> Tampering:
    def tamper(path: Path) -> None:
        file = warc_files(path)[number]
        write_members(file, edit(members(file)))

    return tamper


def remove_caches(path: Path) -> None:
    shutil.rmtree(path / "index")
    for each in path.glob("catalog.sqlite*"):
        each.unlink()


def remove_log(path: Path) -> None:
    shutil.rmtree(path / "log")


def record_tamperings(path: Path, count: int) -> Iterator[tuple[str, Tampering]]:
    """Each of the first records changed in its block, in its head, removed, doubled, something put in before it, and
    exchanged with the next one."""
    for number, file in enumerate(warc_files(path)):
        here = min(len(members(file)), count)
        for at in range(here):
            for what, edit in _EDITS.items():
                yield f"file {number} record {at} {what}", edit_file(number, partial(edit, at=at))
            if at + 1 < here:
                yield f"file {number} record {at} exchanged", edit_file(number, partial(exchange_two, at=at))
        if here:
            yield f"file {number} gone", partial(remove_file, name=file.name)
            yield f"file {number} cut", edit_file(number, partial(cut_behind, at=here - 1))
        count -= here


def remove_file(path: Path, name: str) -> None:
    (path / "warcs" / name).unlink()


def cut_behind(records: list[bytes], at: int) -> list[bytes]:
    return records[:at]


_EDITS: dict[str, Callable[[list[bytes], int], list[bytes]]] = {
    "changed": lambda records, at: [*records[:at], change_bytes(records[at]), *records[at + 1 :]],
    "head": lambda records, at: [*records[:at], change_head(records[at]), *records[at + 1 :]],
    "removed": lambda records, at: records[:at] + records[at + 1 :],
    "doubled": lambda records, at: [*records[: at + 1], *records[at:]],
    "put in": lambda records, at: [*records[:at], change_head(records[at]), *records[at:]],
}


def exchange_two(records: list[bytes], at: int) -> list[bytes]:
    return [*records[:at], records[at + 1], records[at], *records[at + 2 :]]


def log_tamperings(path: Path) -> Iterator[tuple[str, Tampering]]:
    """Every tenth byte of the entries changed, entries exchanged, removed and doubled."""
    data = (path / "log/entries").read_bytes()
    for at in range(0, len(data), 10):
        changed = data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
        yield f"byte {at} of entries", partial(write_entries, data=changed)
    for at in range(0, len(data) - 32, 96):
        pair = data[at + 32 : at + 64] + data[at : at + 32]
        yield f"entries at {at} exchanged", partial(write_entries, data=data[:at] + pair + data[at + 64 :])
        yield f"entry at {at} doubled", partial(write_entries, data=data[: at + 32] + data[at:-32])


def write_entries(path: Path, data: bytes) -> None:
    (path / "log/entries").write_bytes(data)


def add_record(path: Path, name: str, record: LogNote) -> None:
    """Drop in a file with a record in which a log speaks of itself, as somebody does who has no key."""
    made = record.to_record()
    head = build_record_head(
        [("WARC-Type", "metadata"), ("WARC-Record-ID", "<urn:uuid:00000000-0000-4000-8000-000000000001>"),
         ("WARC-Date", "2024-03-02T00:00:00Z"), ("WARC-Target-URI", made.urn), ("Content-Type", made.content_type)],
        len(made.block),
    )  # fmt: skip
    (path / "warcs" / name).write_bytes(build_member(head, made.block))


def forge_takedown(origin: str, entry: bytes, number: int, at: int) -> Tampering:
    """Remove a record, and say that it was taken down."""

    def tamper(path: Path) -> None:
        edit_file(number, lambda all_: all_[:at] + all_[at + 1 :])(path)
        (note,) = takedown_notes(origin, [entry], [])
        add_record(path, "zzz.warc.gz", note)

    return tamper


def forge_mending(origin: str, old: bytes, number: int, at: int, new: Callable[[bytes], bytes]) -> Tampering:
    """Change a record, and say that it was mended."""

    def tamper(path: Path) -> None:
        file = warc_files(path)[number]
        changed = change_head(members(file)[at])
        edit_file(number, lambda all_: [*all_[:at], changed, *all_[at + 1 :]])(path)
        (note,) = takedown_notes(origin, [], [(old, new(changed))])
        add_record(path, "zzz.warc.gz", note)

    return tamper
