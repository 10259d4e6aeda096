"""Runs that do not slow down each other through the file system.

For minutes ext4 takes no inode that was freed, and looks at each of them whenever it makes a file near by: a program
that makes thousands of files takes several times as long where another one has just removed some.
"""

from __future__ import annotations

import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

_GET, _SET = 0x80086601, 0x40086602
"""The requests for the flags of a file (FS_IOC_GETFLAGS, FS_IOC_SETFLAGS)."""
_TOP = 0x00020000
"""The folders in one with this flag have nothing to do with each other (FS_TOPDIR_FL)."""
_NUMBER = struct.Struct("l")


def spread(folder: Path) -> None:
    """Have the folders made in a folder from now on lie far apart on the disk, where the file system can do that."""
    descriptor = os.open(folder, os.O_RDONLY)
    with suppress(OSError):  # other file systems have no such flag, nor the trouble
        flags = _NUMBER.unpack(fcntl.ioctl(descriptor, _GET, _NUMBER.pack(0)))[0]
        fcntl.ioctl(descriptor, _SET, _NUMBER.pack(flags | _TOP))
    os.close(descriptor)
