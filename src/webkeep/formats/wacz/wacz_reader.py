"""WACZ read, versions 1.1.1 and 1.2.0: what it says of itself (datapackage.json), its WARC files, its pages, its
signature (unchecked), and whether all is intact by sizes and digests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import FormatError, UsageError
from webkeep.formats.flaws import Flaws
from webkeep.formats.json_value import read_json
from webkeep.formats.wacz.page_list import WaczPage, read_pages
from webkeep.formats.wacz.wacz_auth import DIGEST_NAME, MANIFEST_NAME
from webkeep.formats.wacz.zip_members import ZipMember, ZipMembers
from webkeep.model import Digest, Moment, new_hasher

_MAX_MANIFEST_BYTES = 64 << 20
"""A manifest is held whole; no earnest one is longer."""
_WARC_ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz", ".warc.zst")
_NO_WARC_CODE = "wacz-no-warc"


@dataclass(frozen=True, slots=True)
class WaczFile:
    """A file as the manifest lists it."""

    path: str
    digest: Digest | None
    size: int | None


class Wacz:
    """An open WACZ; the stream it was read from must stay open as long as it is used."""

    def __init__(self, zipped: ZipMembers, source: str, flaws: Flaws) -> None:
        self._zip = zipped
        self._source = source
        self._flaws = flaws
        self.manifest = self._read_object(MANIFEST_NAME)
        """datapackage.json, or nothing where it is missing or broken."""
        self.manifest_digest = self._read_object(DIGEST_NAME) if DIGEST_NAME in zipped.members else {}
        """datapackage-digest.json, or nothing."""
        self.resources = tuple(self._read_resources())
        self.warcs = tuple(member for path, member in zipped.members.items() if _is_warc(path))
        """The WARC files, listed in the manifest or not."""
        if not self.warcs:
            flaws.report(_NO_WARC_CODE, source, 0, "WACZ holds no WARC file under archive/")

    @property
    def version(self) -> str:
        """The version of WACZ it declares; 1.2.0 where it only says so by its profile."""
        return self._manifest_text("wacz_version") or ("1.2.0" if self.profile == "wacz" else "")

    @property
    def profile(self) -> str:
        """`data-package` (1.1.1), `wacz` (1.2.0), or what else it declares."""
        return self._manifest_text("profile")

    @property
    def title(self) -> str:
        """Its title, if it has one."""
        return self._manifest_text("title")

    @property
    def description(self) -> str:
        """Its description in Markdown, if it has one."""
        return self._manifest_text("description")

    @property
    def software(self) -> str:
        """What it was made with, if it says."""
        return self._manifest_text("software")

    @property
    def created(self) -> Moment | None:
        """When it was made, if it says."""
        return _parse_timestamp(self.manifest.get("created"))

    @property
    def main_page(self) -> WaczPage | None:
        """The page to begin with, if it names one: `home` in 1.2.0, `mainPageUrl` before."""
        home = self.manifest.get("home")
        if isinstance(home, dict) and isinstance(home.get("url"), str):
            return WaczPage(home["url"], _parse_timestamp(home.get("ts")))
        url = self._manifest_text("mainPageUrl") or self._manifest_text("mainPageURL")
        return WaczPage(url, _parse_timestamp(self.manifest.get("mainPageDate"))) if url else None

    @property
    def signature(self) -> Mapping[str, object]:
        """The signature's fields as they are, unchecked; none where it is not signed."""
        signed = self.manifest_digest.get("signedData")
        return signed if isinstance(signed, dict) else {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all its files, in the order of its directory."""
        return tuple(self._zip.members)

    def find(self, path: str) -> ZipMember | None:
        """A file by its path, if it is there."""
        return self._zip.members.get(path)

    def chunks(self, member: ZipMember) -> Iterator[bytes]:
        """A member's bytes in order, checked by its checksum; raises FormatError where they are bad."""
        return self._zip.chunks(member)

    def data_offset(self, member: ZipMember) -> int:
        """The offset at which a member's bytes begin, for those who read a stored one from the file itself."""
        return self._zip.data_offset(member)

    def open(self, member: ZipMember) -> BinaryIO:
        """A seekable stream of a member's bytes."""
        return self._zip.open(member)

    def pages(self) -> Iterator[WaczPage]:
        """The pages of every list, those of pages.jsonl first."""
        lists = [path for path in self._zip.members if path.startswith("pages/") and path.endswith(".jsonl")]
        for path in sorted(lists, key=lambda path: (path != "pages/pages.jsonl", path)):
            source = f"{self._source}!{path}"
            try:
                yield from read_pages(self._zip.chunks(self._zip.members[path]), source, self._flaws)
            except FormatError as error:
                self._report_unreadable(path, error)

    def verify(self, may_be_unlisted: Callable[[str], bool] = lambda _path: False) -> None:
        """Read every member and report what differs from the manifest, and the manifest from its digest."""
        self._verify_manifest()
        listed = {resource.path: resource for resource in self.resources}
        for path in listed:
            if path not in self._zip.members:
                self._flaws.report(
                    "wacz-missing", self._source, 0, f"{path!r} is in the manifest and not in the ZIP file"
                )
        for path, member in self._zip.members.items():
            if path in listed:
                self._verify_member(member, listed[path])
            elif path not in (MANIFEST_NAME, DIGEST_NAME) and not may_be_unlisted(path):
                self._flaws.report("wacz-unlisted", self._source, member.offset, f"{path!r} is not in the manifest")

    def _verify_manifest(self) -> None:
        stated = self.manifest_digest.get("hash")
        member = self._zip.members.get(MANIFEST_NAME)
        if stated is not None and member is not None:
            digest = Digest.parse(stated) if isinstance(stated, str) else None
            self._verify_member(member, WaczFile(MANIFEST_NAME, digest, None))

    def _verify_member(self, member: ZipMember, resource: WaczFile) -> None:
        if resource.digest is None:
            message = f"{member.path!r} has no digest that can be checked"
            self._flaws.report("wacz-no-digest", self._source, member.offset, message)
        hasher = new_hasher(resource.digest.algorithm if resource.digest else "sha256")
        size = 0
        try:
            for chunk in self._zip.chunks(member):
                hasher.update(chunk)
                size += len(chunk)
        except FormatError as error:
            self._report_unreadable(member.path, error)
            return
        if resource.size is not None and resource.size != size:
            message = f"{member.path!r} has {size} bytes where {resource.size} are listed"
            self._flaws.report("wacz-size", self._source, member.offset, message)
        if resource.digest is not None and resource.digest.value != hasher.digest():
            message = f"{member.path!r} differs from its digest"
            self._flaws.report("wacz-digest", self._source, member.offset, message)

    def _report_unreadable(self, path: str, error: FormatError) -> None:
        self._flaws.report("wacz-unreadable", self._source, error.offset, f"{path!r} is damaged in the ZIP file")

    def _read_object(self, path: str) -> dict[str, object]:
        member = self._zip.members.get(path)
        if member is None:
            self._flaws.report("wacz-no-manifest", self._source, 0, f"WACZ has no {path}")
            return {}
        try:
            value = read_json(self._read_small(member))
        except FormatError as error:
            self._report_unreadable(path, error)
            return {}
        if not isinstance(value, dict):
            self._flaws.report("wacz-json", self._source, member.offset, f"{path} is no JSON object")
            return {}
        return value

    def _read_small(self, member: ZipMember) -> bytes:
        if member.size > _MAX_MANIFEST_BYTES:
            raise FormatError(f"{member.path} is larger than any manifest", self._source, member.offset)
        return b"".join(self._zip.chunks(member))

    def _read_resources(self) -> Iterator[WaczFile]:
        listed = self.manifest.get("resources")
        for entry in listed if isinstance(listed, list) else []:
            path = entry.get("path") if isinstance(entry, dict) else None
            if isinstance(path, str):
                stated, size = entry.get("hash"), entry.get("bytes")
                digest = Digest.parse(stated) if isinstance(stated, str) else None
                yield WaczFile(path, digest, size if isinstance(size, int) else None)
            else:
                self._flaws.report("wacz-resource", self._source, 0, "an entry of the manifest names no file")

    def _manifest_text(self, name: str) -> str:
        value = self.manifest.get(name)
        return value if isinstance(value, str) else ""


def read_wacz(stream: BinaryIO, source: str, flaws: Flaws) -> Wacz:
    """Open a WACZ; raises FormatError where it is no ZIP file, reports every other flaw."""
    return Wacz(ZipMembers(stream, source, flaws), source, flaws)


def _is_warc(path: str) -> bool:
    return path.startswith("archive/") and path.lower().endswith(_WARC_ENDINGS)


def _parse_timestamp(value: object) -> Moment | None:
    try:
        return Moment.parse(value) if isinstance(value, str) else None
    except UsageError:
        return None
