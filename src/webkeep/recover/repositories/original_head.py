"""The head of the lost server's answer, put together from what an archive's answer tells of it: which fields are the
lost server's (X-Archive-Orig-), and which are dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webkeep.formats.http import ResponseHead
from webkeep.formats.status import OK, build_status_line
from webkeep.model import Headers
from webkeep.recover.repositories.banner_removal import original_link

_PREFIX = "x-archive-orig-"
_ENTITY_FIELDS = frozenset(
    {
        "content-type", "content-encoding", "content-language", "content-disposition", "content-range",
        "last-modified", "etag", "location", "refresh",
    }
)  # fmt: skip
_TRANSFER_FIELDS = frozenset({"transfer-encoding", "connection", "keep-alive", "content-length", "trailer", "upgrade"})
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
_LINE_ENDS = re.compile(r"[\0\r\n]+")


def original_fields(reply: Headers) -> Headers:
    """The fields of the lost server, as far as an archive's answer has them.

    Archives put a prefix before the names of those they do not send as they are: some before all of them, some before
    all that do not describe the body.
    """
    told = [(_original_name(name), name, value) for name, value in reply.fields]
    prefixed = [(name, value) for (name, _), _, value in told if name]
    names = {name.lower() for name, _ in prefixed}
    plain: list[tuple[str, str]] = []
    if "content-type" not in names:
        plain = [(name, value) for (_, describes), name, value in told if describes and name.lower() not in names]
    return Headers(tuple((name, _restore_link(name, value)) for name, value in (*plain, *prefixed)))


@lru_cache(4096)
def _original_name(name: str) -> tuple[str, bool]:
    """What a field is called without an archive's prefix, "" where it has none; and whether it describes the body."""
    lowered = name.lower()
    if not _NAME(name):
        return "", False
    return (name[len(_PREFIX) :] if lowered.startswith(_PREFIX) else ""), lowered in _ENTITY_FIELDS


def build_head(head: ResponseHead, fields: Headers, size: int) -> bytes:
    """A head of these fields for a body of so many bytes."""
    kept = [(name, value) for name, value in fields.fields if not _is_transfer_field(name)]
    lines = [_status_line(head.status, head.reason), *(f"{name}: {_LINE_ENDS.sub(' ', value)}" for name, value in kept)]
    return "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode("utf-8", "replace")


@lru_cache(4096)
def _is_transfer_field(name: str) -> bool:
    return name.lower() in _TRANSFER_FIELDS


@lru_cache(256)
def _status_line(told: int | None, reason: str) -> str:
    return build_status_line(told or OK, _LINE_ENDS.sub(" ", reason)).rstrip()


def _restore_link(name: str, value: str) -> str:
    return original_link(value) if name.lower() == "location" else value
