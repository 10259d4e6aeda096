"""Shared buffers: memory that writer and prepare worker share, so that bodies and records need not pass through a pipe;
how many there are, and how large.

A buffer goes with a batch: the writer puts the bodies into it, the prepare worker the records made of them behind
these, and when the records are on disk the buffer is free again. What finds no room, or no buffer, goes through the
pipe as it is.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import threading

BufferSlice = tuple[int, int]
"""Where something lies in the shared memory, and how long it is."""

_BUFFER_COUNT = 12
"""So many batches can have one at a time; those beyond go through the pipe."""
_BUFFER_BYTES = 4 << 20
"""Room for the bodies of a batch and for the records made of them; what does not fit goes through the pipe."""


class SharedBuffer:
    """One stretch of the shared memory that is filled from its beginning."""

    __slots__ = ("_memory", "start", "used")

    def __init__(self, memory: memoryview, start: int, used: int = 0) -> None:
        self._memory = memory
        self.start = start
        self.used = used
        """How much of it is filled."""

    def write(self, data: bytes) -> BufferSlice | None:
        """Lay something down; None where there is no room for it."""
        if self.used + len(data) > _BUFFER_BYTES:
            return None
        start = self.start + self.used
        self._memory[start : start + len(data)] = data
        self.used += len(data)
        return start, len(data)


class SharedBuffers:
    """The shared memory: made by the writer, opened by its number in the prepare worker."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._map = mmap.mmap(descriptor, _BUFFER_COUNT * _BUFFER_BYTES)
        self._memory = memoryview(self._map)
        self._free = list(range(0, _BUFFER_COUNT * _BUFFER_BYTES, _BUFFER_BYTES))
        self._lock = threading.Lock()

    @classmethod
    def create(cls) -> SharedBuffers | None:
        """New ones, where the system has memory that can be shared by number, and some to spare."""
        if not hasattr(os, "memfd_create"):
            return None
        try:
            descriptor = os.memfd_create("webkeep")
        except OSError:
            return None
        try:
            os.ftruncate(descriptor, _BUFFER_COUNT * _BUFFER_BYTES)
            return cls(descriptor)
        except OSError:
            os.close(descriptor)
            return None

    def take(self) -> SharedBuffer | None:
        """A free buffer, if there is one."""
        with self._lock:
            return SharedBuffer(self._memory, self._free.pop()) if self._free else None

    def release(self, buffer: SharedBuffer) -> None:
        """A buffer in which nothing is needed any more."""
        with self._lock:
            self._free.append(buffer.start)

    def reopen(self, start: int, used: int) -> SharedBuffer:
        """A buffer that the other process has filled so far."""
        return SharedBuffer(self._memory, start, used)

    def view(self, stretch: BufferSlice) -> memoryview:
        """What lies there."""
        start, length = stretch
        return self._memory[start : start + length]

    def close(self) -> None:
        """Let go of it."""
        with contextlib.suppress(BufferError):  # after a failed write something may still be viewed; it goes with that
            self._memory.release()
            self._map.close()
        os.close(self.descriptor)
