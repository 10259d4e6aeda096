"""WACZ 1.1.1 written into a stream: where WARC files, index and pages go in it, and the manifest (datapackage.json) and
its digest, which seal them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import BinaryIO, Self

from webkeep.errors import UsageError
from webkeep.formats.wacz.compressed_index import WaczIndexBlocks
from webkeep.formats.wacz.page_list import WaczPage, build_header_line
from webkeep.formats.wacz.wacz_auth import DIGEST_NAME, MANIFEST_NAME, render_digest_file
from webkeep.formats.zip_writer import ZipWriter
from webkeep.model import Moment

WACZ_VERSION = "1.1.1"

_NOT_IN_RESOURCE_NAMES = re.compile(r"[^a-z0-9._-]+")
_ZIP64_BYTES = 1 << 30
"""Beyond this a member gets the 64-bit fields, well before it needs them."""


@dataclass(frozen=True, slots=True)
class WaczDescription:
    """What a WACZ says of itself; empty values are not written."""

    title: str = ""
    description: str = ""
    software: str = ""
    main_page_url: str = ""
    main_page_moment: Moment | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    """Further properties of the manifest: licenses, contributors, …"""

    def properties(self) -> dict[str, object]:
        """The properties under the names the manifest has for them."""
        named = {
            "title": self.title,
            "description": self.description,
            "software": self.software,
            "mainPageUrl": self.main_page_url,
            "mainPageDate": self.main_page_moment.iso() if self.main_page_moment else "",
        }
        return {name: value for name, value in named.items() if value} | dict(self.extra)


class WaczWriter:
    """Adds the parts one after the other; nothing but the manifest is held in memory.

    The stream need not be seekable. The same parts, description and moment give the same bytes.
    """

    def __init__(self, stream: BinaryIO, created: Moment, description: WaczDescription | None = None) -> None:
        self._zip = ZipWriter(stream, "w", zipfile.ZIP_STORED)
        # Time stamps know whole seconds alone, and must not seem to be older than what they stamp.
        self._created = Moment(created.micros // 1_000_000 * 1_000_000)
        self._description = description or WaczDescription()
        self._resources: dict[str, dict[str, object]] = {}
        self._names: set[str] = set()
        self._is_whole = True

    def add_warc(self, name: str, chunks: Iterable[bytes], size: int | None = None) -> None:
        """Add a WARC file under `archive/`; a known size spares small files the 64-bit fields."""
        self._add_member(f"archive/{name}", chunks, size=size)

    def add_index(self, lines: Iterable[str]) -> None:
        """Add the index: CDXJ lines, sorted, without their ends; `filename` in them is a name given to `add_warc`."""
        blocks = WaczIndexBlocks("index.cdx.gz")
        self._add_member("indexes/index.cdx.gz", blocks.compress_lines(lines))
        self._add_member("indexes/index.idx", blocks.entries(), deflate=True)

    def add_pages(self, pages: Iterable[WaczPage], extra: bool = False, has_text: bool = False) -> None:
        """Add the pages a reader begins with, or, as `extra`, further ones that a crawl came by."""
        name, title = ("extraPages", "Extra Pages") if extra else ("pages", "All Pages")
        self._add_member(
            f"pages/{name}.jsonl", _page_lines(build_header_line(name, title, has_text), pages), deflate=True
        )

    def add_file(self, path: str, chunks: Iterable[bytes], deflate: bool = True) -> None:
        """Add a further file outside the directories WACZ defines (`logs/crawl.log`), deflated or not."""
        if path.startswith(("archive/", "indexes/", "pages/", "datapackage")):
            raise UsageError(f"{path!r} is a place WACZ defines; put further files elsewhere")
        self._add_member(path, chunks, deflate)
        # Validators that read what they take for tables, or for packages of their own, are told to leave it alone.
        self._resources[path]["type"] = "file"

    def close(self, signed_data: Mapping[str, object] | None = None) -> None:
        """Write what is still missing, the manifest and its digest (with a signature, if any) and the directory."""
        if not self._is_whole:
            self.abandon()
            raise UsageError("a part of the WACZ could not be added; write it anew")
        if "indexes/index.cdx.gz" not in self._resources:
            self.add_index(())
        if "pages/pages.jsonl" not in self._resources:
            self.add_pages(())
        manifest = self._build_manifest()
        digest = render_digest_file(_sha256_text(manifest), signed_data)
        self._write_member(MANIFEST_NAME, (manifest,), deflate=True)
        self._write_member(DIGEST_NAME, (digest,), deflate=True)
        self._zip.close()

    def abandon(self) -> None:
        """Write no more; what the stream holds is no WACZ."""
        # An open ZipFile would write to the stream whenever it is cleaned up.
        with contextlib.suppress(OSError, ValueError):
            self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        if self._zip.fp is None:
            return
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _build_manifest(self) -> bytes:
        value: dict[str, object] = {"profile": "data-package", "resources": list(self._resources.values())}
        value |= self._description.properties()
        value |= {"created": self._created.iso(), "wacz_version": WACZ_VERSION}
        return json.dumps(value, indent=2).encode()

    def _add_member(self, path: str, chunks: Iterable[bytes], deflate: bool = False, size: int | None = None) -> None:
        _check_path(path)
        if path in self._resources:
            raise UsageError(f"{path!r} is in the WACZ already; give each file a name of its own")
        self._is_whole = False
        count, hashed = self._write_member(path, chunks, deflate, size)
        self._is_whole = True
        self._resources[path] = {"name": self._resource_name(path), "path": path, "hash": hashed, "bytes": count}

    def _resource_name(self, path: str) -> str:
        plain = _NOT_IN_RESOURCE_NAMES.sub("-", path.rpartition("/")[2].lower())
        name = plain if plain not in self._names else f"{len(self._names)}-{plain}"
        self._names.add(name)
        return name

    def _write_member(
        self, path: str, chunks: Iterable[bytes], deflate: bool = False, size: int | None = None
    ) -> tuple[int, str]:
        info = zipfile.ZipInfo(path, _zip_date(self._created))
        info.compress_type = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
        info.create_system = 3
        info.external_attr = 0o100644 << 16
        hasher = hashlib.sha256()
        count = 0
        with self._zip.open(info, "w", force_zip64=size is None or size > _ZIP64_BYTES) as member:
            for chunk in chunks:
                hasher.update(chunk)
                member.write(chunk)
                count += len(chunk)
                if size is not None and count > size:
                    raise UsageError(
                        f"{path!r} has more than the {size} bytes announced; announce no size or the right one"
                    )
        return count, f"sha256:{hasher.hexdigest()}"


def _page_lines(header: str, pages: Iterable[WaczPage]) -> Iterator[bytes]:
    yield f"{header}\n".encode()
    for page in pages:
        yield f"{page.to_line()}\n".encode()


def _sha256_text(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _zip_date(moment: Moment) -> tuple[int, int, int, int, int, int]:
    when = moment.datetime
    year = min(max(when.year, 1980), 2107)  # all that a ZIP directory can say
    return year, when.month, when.day, when.hour, when.minute, when.second


def _check_path(path: str) -> None:
    parts = path.split("/")
    if "\\" in path or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise UsageError(f"{path!r} is no name for a file in a WACZ")
