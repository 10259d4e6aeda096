"""The status of an answer, seen without reading its head."""

from __future__ import annotations


def status_of(head: bytes) -> bytes:
    """The three digits in a status line, which HTTP/2 and later write without a minor version."""
    return head[9:12] if head[6:7] == b"." else head[7:10]
