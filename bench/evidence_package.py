"""Sound packages, made by program for tests and benches: records seen twice, their certificate, the facts of it, a log
with proofs, a signature, a time stamp. And the same taken apart, so that it can be put together otherwise.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.time_authority import TimeAuthority
from webkeep.clock import SystemClock
from webkeep.coherence.certificates import certificate_to_json
from webkeep.evidence.package.custody_log import CustodyLog
from webkeep.evidence.package.evidence_facts import exchange_values, plain_values, render_json, survey_values
from webkeep.evidence.package.exhibit_files import EXHIBIT_ENDINGS
from webkeep.evidence.package.record_survey import survey_records
from webkeep.evidence.sealing import sign_package
from webkeep.evidence.sealing.package_stamping import put_in_package
from webkeep.formats import Flaws
from webkeep.formats.states import PORTRAIT_TYPE, PortraitNote
from webkeep.formats.transparency import NoteKey, parse_checkpoint
from webkeep.formats.wacz import WaczDescription, WaczWriter
from webkeep.formats.warc import hash_record
from webkeep.memento import format_http_date
from webkeep.model import BytesBody, Exchange, Moment, VisitKind
from webkeep.quality.certificates import derive_certificate
from webkeep.signing import KeyPurpose, SigningIdentity, SigningKey, build_stamp_request, open_own_key
from webkeep.store.archive import Selection, WritableArchive
from webkeep.store.jobs import PLAN_FACT
from webkeep.store.log import make_checkpoint, prove_records
from webkeep.store.reading import open_records
from webkeep.store.transfer import add_archive
from webkeep.version import __version__

DIGEST_FILE, MANIFEST_FILE = "datapackage-digest.json", "datapackage.json"
_CUSTODY_FILE = "evidence/custody.jsonl"
_PARTS = (("/", b"<h1>It stood there</h1>", "text/html"), ("/style.css", b"h1 { color: red }", "text/css"),
          ("/picture.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"))  # fmt: skip
_SITE = "http://site.example"
_PAGE, _FILE = f"{_SITE}/", f"{_SITE}/picture.svg"
"""What was asked for: a page, and what is handed on as a file."""
_PLAN = {"seeds": [_PAGE], "scope": "page", "user_agent": "Mozilla/5.0 (Linux; Android 15) Mobile"}
_NOTES = (
    PortraitNote(_PAGE, _PAGE, "It stood there", 200, 1280, 960, 1280, 960, is_at_rest=True),
    PortraitNote(_FILE, failure="a download"),
)
_SHOWN_SECONDS = 30
"""After the first look."""


@dataclass(frozen=True)
class Sealer:
    """Whoever makes packages: keys and an authority."""

    key: SigningKey
    log_key: SigningKey
    authority: TimeAuthority

    @classmethod
    def create(cls, folder: Path) -> Sealer:
        """One with keys and an authority of its own."""
        return cls(
            open_own_key(KeyPurpose.PACKAGE, folder / "package.pem"),
            open_own_key(KeyPurpose.LOG, folder / "log.pem"),
            TimeAuthority(folder / "authority"),
        )

    def sign(self, path: Path, identity: SigningIdentity | None = None) -> None:
        """Sign a package."""
        sign_package(path, identity or SigningIdentity(self.key))

    def stamp(self, path: Path, name: str = "001-authority") -> None:
        """Date a package, as `stamp_package` does over the network."""
        message = Parts.read(path).files[DIGEST_FILE]
        request = build_stamp_request(message)
        answer = self.authority.answer(request)
        put_in_package(path, {f"stamps/{name}-tsq": request, f"stamps/{name}-tsr": answer})


def build_package(path: Path, sealer: Sealer, began: Moment | None = None, says: bytes = b"") -> Path:
    """A package that is sound, but for nobody having signed it."""
    began = began or SystemClock().now().plus(-600)
    work = path.with_suffix(".work")
    with WritableArchive.create(work, keep_log=True) as archive:
        capture = _capture_parts(archive, began, says)
        note = make_checkpoint(archive, sealer.log_key)
        certificate = derive_certificate(archive, capture)
        checkpoint, _ = parse_checkpoint(note)
        log = archive.log
        assert log is not None
        proofs = prove_records(log, list(_hash_all(archive)), checkpoint)
        together = certificate.summary.coherent_set
        survey = survey_records(archive.records())
        exhibits = _make_exhibits(says)
        file = {"name": "page-002-file.bin", "sha256": hashlib.sha256(exhibits["page-002-file.bin"]).hexdigest()}
        facts = {
            "format": "webkeep-evidence",
            "version": 1,
            "seeds": [_PAGE],
            "is_proven": True,
            "shortcomings": [],
            "pages": [
                _describe_page("page-001", capture, began, _NOTES[0], exhibits, None),
                _describe_page("page-002", capture, began, _NOTES[1], exhibits, file),
            ],
            "records": [_describe(archive.layout.warcs / name) for name in archive.layout.warc_names()],
            "seal": {"fingerprint": sealer.key.public.fingerprint},
            "vantages": [{"name": "usual", "shown_round": 1, "plan": _PLAN, "rounds": [{
                "capture": capture, "parts": len(_PARTS), "proven": len(_PARTS), "unproven": [], "lost": [],
                "since": together.start.iso() if together else None, "until": together.end.iso() if together else None,
            }]}],
            "log_key": NoteKey(checkpoint.origin, sealer.log_key.public.raw).text,
            **survey_values(survey),
        }  # fmt: skip
        description = WaczDescription(title=f"Evidence of {_PAGE}", software=f"webkeep/{__version__}")
        with path.open("wb") as stream, WaczWriter(stream, SystemClock().now(), description) as writer:
            add_archive(writer, archive, Selection())
            files = {
                "evidence.json": json.dumps(facts, indent=1).encode(),
                "connections.json": render_json(exchange_values(survey)),
                "certificate.json": b"".join(certificate_to_json(certificate)),
                "log-checkpoint.txt": note,
                "log-proofs.json": proofs.to_json(),
                "cover.html": b"<h1>What was seen</h1>",
                **exhibits,
            }
            for name, data in {**files, "custody.jsonl": _render_custody(files)}.items():
                writer.add_file(f"evidence/{name}", [data])
    return path


def _describe_page(
    name: str, capture: str, began: Moment, note: PortraitNote, exhibits: Mapping[str, bytes], file: object
) -> dict[str, object]:
    return {
        "name": name,
        "vantage": "usual",
        "capture": capture,
        "page": note.page,
        "moment": began.plus(_SHOWN_SECONDS).iso(),
        "note": plain_values(note),
        "condition": "file" if note.failure else "shown",
        "files": [each for each in exhibits if each.startswith(name)],
        "file": file,
    }


def _describe(warc: Path) -> dict[str, object]:
    return {"path": f"archive/{warc.name}", "sha256": hashlib.sha256(warc.read_bytes()).hexdigest()}


def _capture_parts(archive: WritableArchive, began: Moment, says: bytes) -> str:
    with archive.begin("capture", [_PAGE], {PLAN_FACT: json.dumps(_PLAN)}) as capture:
        for at, visit in ((0, VisitKind.VISIT), (60, VisitKind.REVISIT)):
            for place, (name, body, media_type) in enumerate(_PARTS):
                url, moment = f"http://site.example{name}", began.plus(at + place)
                dated = f"Date: {format_http_date(moment)}\r\nContent-Type: {media_type}"
                head = f"HTTP/1.1 200 OK\r\n{dated}\r\n\r\n".encode()
                capture.submit(Exchange(url, moment, head, BytesBody(body + says), visit=visit))
            if visit is VisitKind.VISIT:
                for urn, media_type, data in _list_portraits(says):
                    capture.submit_resource(urn, began.plus(_SHOWN_SECONDS), media_type, BytesBody(data), via=_PAGE)
    return capture.id


def _make_exhibits(says: bytes) -> dict[str, bytes]:
    """The files of what was asked for, by their names."""
    shown = {ending: f"the page{ending}".encode() + says for ending in EXHIBIT_ENDINGS.values()}
    (file,) = (body + says for name, body, _ in _PARTS if _FILE.endswith(name) and name != "/")
    return {**{f"page-001{ending}": data for ending, data in shown.items()}, "page-002-file.bin": file}


def _list_portraits(says: bytes) -> Iterator[tuple[str, str, bytes]]:
    """What stands of the page's portrait in records, and that of the file there is none."""
    exhibits = _make_exhibits(says)
    for prefix, ending in EXHIBIT_ENDINGS.items():
        yield f"{prefix}{_PAGE}", "application/octet-stream", exhibits[f"page-001{ending}"]
    for note in _NOTES:
        yield note.urn, PORTRAIT_TYPE, note.to_block()


def _render_custody(files: Mapping[str, bytes]) -> bytes:
    custody = CustodyLog(SystemClock(), "The Courier")
    custody.note("begun", seeds=[_PAGE])
    for name, data in files.items():
        custody.note("written", file=name, sha256=hashlib.sha256(data).hexdigest())
    return custody.render()


def _hash_all(archive: WritableArchive) -> Iterator[bytes]:
    for name in archive.layout.warc_names():
        with (archive.layout.warcs / name).open("rb") as stream:
            for record in open_records(stream, name, Flaws()):
                yield hash_record(record)
                record.finish()


@dataclass(frozen=True)
class Parts:
    """A package taken apart: its files in their order, and which of them are deflated."""

    files: Mapping[str, bytes]
    deflated: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Parts:
        """Take a package apart."""
        with zipfile.ZipFile(path) as zipped:
            files = {info.filename: zipped.read(info) for info in zipped.infolist()}
            deflated = {info.filename for info in zipped.infolist() if info.compress_type == zipfile.ZIP_DEFLATED}
        return cls(files, frozenset(deflated))

    def build(self) -> bytes:
        """Put it together again."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as zipped:
            for name, data in self.files.items():
                info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED if name in self.deflated else zipfile.ZIP_STORED
                zipped.writestr(info, data)
        return out.getvalue()

    def with_files(self, **changed: bytes) -> Parts:
        """The same with files whose names are given by keyword."""
        return self.put(changed)

    def put(self, changed: Mapping[str, bytes]) -> Parts:
        """The same with some files changed or added."""
        return replace(self, files={**self.files, **changed})

    def drop(self, *names: str) -> Parts:
        """The same without some files."""
        return replace(self, files={name: data for name, data in self.files.items() if name not in names})

    def json(self, name: str) -> Any:
        """A file as JSON."""
        return json.loads(self.files[name])

    def rehash(self) -> Parts:
        """The same with all digests put right again, as whoever has no key can; the signature stays as it was."""
        manifest = self.json(MANIFEST_FILE)
        listed = {each["path"]: each for each in manifest["resources"]}
        manifest["resources"] = []
        for name, data in self.files.items():
            if name in (MANIFEST_FILE, DIGEST_FILE) or name.startswith("stamps/"):
                continue
            entry = listed.get(name, {"name": name.rpartition("/")[2], "path": name})
            entry |= {"hash": f"sha256:{hashlib.sha256(data).hexdigest()}", "bytes": len(data)}
            manifest["resources"].append(entry)
        return self.seal_manifest(json.dumps(manifest, indent=2).encode())

    def mend_custody(self) -> Parts:
        """The same with a custody log that has all files as they are, as its owner can write one."""
        before, lines = "0" * 64, []
        for each in map(json.loads, self.files[_CUSTODY_FILE].splitlines()):
            name = f"evidence/{each.get('file')}"
            if each["action"] == "written" and name not in self.files:
                continue
            stated = {"sha256": hashlib.sha256(self.files[name]).hexdigest()} if each["action"] == "written" else {}
            lines.append(json.dumps({**each, **stated, "previous": before}, ensure_ascii=False).encode())
            before = hashlib.sha256(lines[-1]).hexdigest()
        return self.put({_CUSTODY_FILE: b"".join(line + b"\n" for line in lines)})

    def remake(self) -> Parts:
        """The same as its owner would hand it on to be signed: custody log and digests are those of its files."""
        return self.mend_custody().rehash()

    def seal_manifest(self, manifest: bytes) -> Parts:
        """The same with another manifest, and its digest wherever that stands."""
        digest = self.json(DIGEST_FILE)
        digest["hash"] = f"sha256:{hashlib.sha256(manifest).hexdigest()}"
        if "signedData" in digest:
            digest["signedData"]["hash"] = digest["hash"]
            digest["signedData"]["created"] = json.loads(manifest).get("created", "")
        return self.put({MANIFEST_FILE: manifest, DIGEST_FILE: json.dumps(digest, indent=2).encode()})


def split_records(warc: bytes) -> list[bytes]:
    """The records of a WARC file, each still compressed."""
    found = []
    while warc:
        inflater = zlib.decompressobj(31)
        inflater.decompress(warc)
        found.append(warc[: len(warc) - len(inflater.unused_data)])
        warc = inflater.unused_data
    return found
