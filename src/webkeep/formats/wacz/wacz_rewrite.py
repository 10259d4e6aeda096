"""WACZ packages written anew with a few files put in or replaced; every other file byte for byte as it was."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import BinaryIO

from webkeep.errors import FormatError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.wacz.zip_members import ZipMember, ZipMembers
from webkeep.formats.zip_writer import ZipWriter

_NO_DATE = (1980, 1, 1, 0, 0, 0)
"""The first that a ZIP file can say."""


def rewrite_wacz(source: BinaryIO, name: str, target: BinaryIO, files: Mapping[str, bytes], without: str = "") -> None:
    """Copy a package and put these files at its end; raises FormatError where anything about it is amiss.

    Files whose paths begin as `without` says are left out.
    """
    zipped = ZipMembers(source, name, Flaws(Strictness.FAIL))
    date = next((member.info.date_time for member in zipped.members.values()), _NO_DATE)
    with ZipWriter(target, "w", zipfile.ZIP_STORED) as written:
        for path, member in zipped.members.items():
            if path not in files and not (without and path.startswith(without)):
                with written.open(_new_info(member), "w") as copy:
                    for chunk in zipped.chunks(member):
                        copy.write(chunk)
        for path, data in files.items():
            written.writestr(_file_info(path, date, len(data)), data)


def read_wacz_file(source: BinaryIO, name: str, path: str, max_bytes: int) -> bytes:
    """A small file of a package; raises FormatError where it is not there or too large."""
    zipped = ZipMembers(source, name, Flaws(Strictness.IGNORE))
    member = zipped.members.get(path)
    if member is None:
        raise FormatError(f"there is no {path} in it", name)
    if member.size > max_bytes:
        raise FormatError(f"{path} is larger than any such file", name, member.offset)
    return b"".join(zipped.chunks(member))


def _new_info(member: ZipMember) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(member.path, member.info.date_time)
    info.compress_type = member.info.compress_type
    info.create_system = member.info.create_system
    info.external_attr = member.info.external_attr
    info.file_size = member.size
    return info


def _file_info(path: str, date: tuple[int, int, int, int, int, int], size: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, date)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    info.file_size = size
    return info
