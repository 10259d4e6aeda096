"""WACZ read, versions 1.1.1 and 1.2.0: what it says of itself, its WARC files, its pages, and whether all is intact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import FormatError, UsageError
from webkeep.formats.flaws import Flaws
from webkeep.formats.json_value import read_json
from webkeep.formats.wacz_page import Page, read_pages
from webkeep.formats.zip_members import Member, ZipMembers
from webkeep.model import Digest, Moment, new_hasher

_LARGEST_MANIFEST = 64 << 20
_MANIFEST = "datapackage.json"
_SEAL = "datapackage-digest.json"
_WARC_ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz", ".warc.zst")
_NO_WARC = "wacz-no-warc"


@dataclass(frozen=True, slots=True)
class Resource:
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
        self.manifest = self._json(_MANIFEST)
        """datapackage.json, or nothing where it is missing or broken."""
        self.seal = self._json(_SEAL) if _SEAL in zipped.members else {}
        """datapackage-digest.json, or nothing."""
        self.resources = tuple(self._resources())
        self.warcs = tuple(member for path, member in zipped.members.items() if _is_warc(path))
        """The WARC files, listed in the manifest or not."""
        if not self.warcs:
            flaws.report(_NO_WARC, source, 0, "WACZ holds no WARC file under archive/")

    @property
    def version(self) -> str:
        """The version of WACZ it declares; 1.2.0 where it only says so by its profile."""
        return self._text("wacz_version") or ("1.2.0" if self.profile == "wacz" else "")

    @property
    def profile(self) -> str:
        """`data-package` (1.1.1), `wacz` (1.2.0), or what else it declares."""
        return self._text("profile")

    @property
    def title(self) -> str:
        """Its title, if it has one."""
        return self._text("title")

    @property
    def description(self) -> str:
        """Its description in Markdown, if it has one."""
        return self._text("description")

    @property
    def software(self) -> str:
        """What it was made with, if it says."""
        return self._text("software")

    @property
    def created(self) -> Moment | None:
        """When it was made, if it says."""
        return _moment(self.manifest.get("created"))

    @property
    def main_page(self) -> Page | None:
        """The page to begin with, if it names one: `home` in 1.2.0, `mainPageUrl` before."""
        home = self.manifest.get("home")
        if isinstance(home, dict) and isinstance(home.get("url"), str):
            return Page(home["url"], _moment(home.get("ts")))
        url = self._text("mainPageUrl") or self._text("mainPageURL")
        return Page(url, _moment(self.manifest.get("mainPageDate"))) if url else None

    @property
    def signature(self) -> Mapping[str, object]:
        """The signature's fields as they are, unchecked; none where it is not signed."""
        signed = self.seal.get("signedData")
        return signed if isinstance(signed, dict) else {}

    def start(self, member: Member) -> int:
        """The offset at which a member's bytes begin, for those who read a stored one from the file itself."""
        return self._zip.start(member)

    def open(self, member: Member) -> BinaryIO:
        """A seekable stream of a member's bytes."""
        return self._zip.open(member)

    def pages(self) -> Iterator[Page]:
        """The pages of every list, those of pages.jsonl first."""
        lists = [path for path in self._zip.members if path.startswith("pages/") and path.endswith(".jsonl")]
        for path in sorted(lists, key=lambda path: (path != "pages/pages.jsonl", path)):
            source = f"{self._source}!{path}"
            try:
                yield from read_pages(self._zip.chunks(self._zip.members[path]), source, self._flaws)
            except FormatError as error:
                self._report_unreadable(path, error)

    def verify(self) -> None:
        """Read every member and report what differs from the manifest, and the manifest from its digest."""
        self._verify_seal()
        listed = {resource.path: resource for resource in self.resources}
        for path in listed:
            if path not in self._zip.members:
                self._flaws.report(
                    "wacz-missing", self._source, 0, f"{path!r} is in the manifest and not in the ZIP file"
                )
        for path, member in self._zip.members.items():
            if path in listed:
                self._verify_member(member, listed[path])
            elif path not in (_MANIFEST, _SEAL):
                self._flaws.report("wacz-unlisted", self._source, member.offset, f"{path!r} is not in the manifest")

    def _verify_seal(self) -> None:
        stated = self.seal.get("hash")
        member = self._zip.members.get(_MANIFEST)
        if stated is not None and member is not None:
            digest = Digest.parse(stated) if isinstance(stated, str) else None
            self._verify_member(member, Resource(_MANIFEST, digest, None))

    def _verify_member(self, member: Member, resource: Resource) -> None:
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

    def _json(self, path: str) -> dict[str, object]:
        member = self._zip.members.get(path)
        if member is None:
            self._flaws.report("wacz-no-manifest", self._source, 0, f"WACZ has no {path}")
            return {}
        try:
            value = read_json(self._small(member))
        except FormatError as error:
            self._report_unreadable(path, error)
            return {}
        if not isinstance(value, dict):
            self._flaws.report("wacz-json", self._source, member.offset, f"{path} is no JSON object")
            return {}
        return value

    def _small(self, member: Member) -> bytes:
        if member.size > _LARGEST_MANIFEST:
            raise FormatError(f"{member.path} is larger than any manifest", self._source, member.offset)
        return b"".join(self._zip.chunks(member))

    def _resources(self) -> Iterator[Resource]:
        listed = self.manifest.get("resources")
        for entry in listed if isinstance(listed, list) else []:
            path = entry.get("path") if isinstance(entry, dict) else None
            if isinstance(path, str):
                stated, size = entry.get("hash"), entry.get("bytes")
                digest = Digest.parse(stated) if isinstance(stated, str) else None
                yield Resource(path, digest, size if isinstance(size, int) else None)
            else:
                self._flaws.report("wacz-resource", self._source, 0, "an entry of the manifest names no file")

    def _text(self, name: str) -> str:
        value = self.manifest.get(name)
        return value if isinstance(value, str) else ""


def read_wacz(stream: BinaryIO, source: str, flaws: Flaws) -> Wacz:
    """Open a WACZ; raises FormatError where it is no ZIP file, reports every other flaw."""
    return Wacz(ZipMembers(stream, source, flaws), source, flaws)


def _is_warc(path: str) -> bool:
    return path.startswith("archive/") and path.lower().endswith(_WARC_ENDINGS)


def _moment(value: object) -> Moment | None:
    try:
        return Moment.parse(value) if isinstance(value, str) else None
    except UsageError:
        return None
