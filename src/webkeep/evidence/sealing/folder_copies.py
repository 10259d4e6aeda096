"""What lies beside a package in its folder, for other programs: its digest file, its stamps, and the digests of all."""

from __future__ import annotations

import hashlib
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.evidence.sealing.package_stamping import read_stamp_files
from webkeep.process import write_atomically

PACKAGE_NAME, SUMS_NAME = "evidence.wacz", "SHA256SUMS"
"""What a package is called in its folder, and the list of digests beside it."""


def lay_seals_beside(package: Path) -> None:
    """Write the digest file and the stamps of a package beside it, and the list of digests anew where there is one."""
    folder = package.parent
    try:
        for name, data in read_stamp_files(package).items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_atomically(folder / name, data)
        if (folder / SUMS_NAME).exists():
            write_sums(folder)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written to ({error.strerror}); check the disk") from error


def write_sums(folder: Path) -> None:
    """Write the digests of all files of a folder, as `sha256sum -c` reads them."""
    names = sorted(each.relative_to(folder) for each in folder.rglob("*") if each.is_file() and each.name != SUMS_NAME)
    lines = [f"{digest_file(folder / name)}  {name}\n" for name in names]
    write_atomically(folder / SUMS_NAME, "".join(lines).encode())


def digest_file(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
