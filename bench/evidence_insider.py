"""What the owner of a key might claim who signs and stamps a package anew: facts, pictures, custody, indexes and a log
that its records do not bear out.
"""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
from collections.abc import Iterator
from itertools import chain

from bench.evidence_forgery import change_field, list_fields
from bench.evidence_package import Parts

FACTS, CERTIFICATE = "evidence/evidence.json", "evidence/certificate.json"
CONNECTIONS, CUSTODY = "evidence/connections.json", "evidence/custody.jsonl"
INDEX, INDEX_PLACES, PAGES, CARRIED = "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl", "log/checkpoint"
CHECKPOINT, PROOFS = "evidence/log-checkpoint.txt", "evidence/log-proofs.json"
_CLAIMED = ("capture", "parts", "proven", "since", "until", "sha256", "fingerprint", "shown_round", "moment", "vantage")
"""Fields of evidence.json that follow from the records, or from who signs."""
_STATED = ("note", "files", "plan", "seeds")
"""Fields of evidence.json with all below them, which stand in the records of captures and pages."""
_SURVEYED = ("clock", "redacted", "exchanges", "listed", "all")
"""Fields of evidence.json and connections.json with all below them, which follow from the records too."""


class InsiderLies:
    """All lies that can be told with a sound package, and another one of the same owner; none is signed yet."""

    def __init__(self, parts: Parts, other: Parts) -> None:
        self.parts, self.other = parts, other

    def list_all(self) -> Iterator[tuple[str, Parts]]:
        """All of them, each with what it is."""
        for name in (CERTIFICATE, FACTS, CONNECTIONS):
            value = self.parts.json(name)
            ways = [way for way in list_fields(value) if name == CERTIFICATE or (way and _is_recomputed(way))]
            for way in ways:
                for what, changed in change_field(value, way)[:1]:  # whoever leaves something out claims less
                    data = json.dumps(changed, separators=(",", ":")).encode()
                    yield f"{name} {'.'.join(map(str, way))} {what}", self.parts.put({name: data}).mend_custody()
        for what, facts in self._fact_lies():
            yield f"{FACTS} {what}", self.parts.put({FACTS: facts}).mend_custody()
        yield from chain(self._exhibit_lies(), self._viewer_lies())
        for what, files in self._log_lies().items():
            yield f"log {what}", self.parts.put(files).mend_custody()

    def _fact_lies(self) -> Iterator[tuple[str, bytes]]:
        """What evidence.json might say in ways that two readers take otherwise, or without what it has to say."""
        whole, facts = self.parts.files[FACTS], self.parts.json(FACTS)
        yield "says first that more is proven", whole.replace(b"{", b'{"is_proven": "by the court",', 1)
        for value in (1, "true", [True]):
            yield f"says that {value!r} is proven", json.dumps({**facts, "is_proven": value}).encode()
        for name in ("exchanges", "clock", "redacted"):
            yield f"without {name}", json.dumps({key: facts[key] for key in facts if key != name}).encode()
        first, second = facts["pages"]
        swapped = [{**first, "capture": second["capture"], "page": second["page"]}, second]
        yield "shows one page as another", json.dumps({**facts, "pages": swapped}).encode()
        invented = {**first, "page": "http://court.example/", "files": [], "name": "page-003"}
        yield "shows a page that was not", json.dumps({**facts, "pages": [first, second, invented]}).encode()

    def _exhibit_lies(self) -> Iterator[tuple[str, Parts]]:
        """Pictures, texts and files that are not those of the records, and custody that was not like that."""
        for name in (each for each in self.parts.files if each.startswith("evidence/page-")):
            yield f"{name} changed", self.parts.put({name: self.parts.files[name] + b" "}).mend_custody()
            yield f"{name} removed", self.parts.drop(name).mend_custody()
            yield (
                f"{name} of another page",
                self.parts.put({name.replace("page-00", "page-10"): self.parts.files[name]}),
            )
        lines = self.parts.files[CUSTODY].splitlines(keepends=True)
        for at in range(len(lines) - 1):  # whoever leaves out the last says less
            kept = [*lines[:at], *lines[at + 1 :]]
            yield f"custody without line {at}", self.parts.put({CUSTODY: b"".join(kept)})
            late = [*lines[:at], lines[at].replace(b'"moment": "2', b'"moment": "1'), *lines[at + 1 :]]
            yield f"custody with line {at} dated otherwise", self.parts.put({CUSTODY: b"".join(late)})

    def _viewer_lies(self) -> Iterator[tuple[str, Parts]]:
        """Indexes and lists of pages by which viewers show something else than the records say."""
        packed = self.parts.files[INDEX]
        lines = gzip.decompress(packed).splitlines(keepends=True)
        places = [json.loads(line[line.index(b"{") :]) for line in lines]
        for at, line in enumerate(lines):
            other = places[at - 1]
            elsewhere = {**places[at], "offset": other["offset"], "length": other["length"]}
            led = line[: line.index(b"{")] + json.dumps(elsewhere).encode() + b"\n"
            yield f"index line {at} leads elsewhere", self._with_index([*lines[:at], led, *lines[at + 1 :]])
            yield f"index without line {at}", self._with_index([*lines[:at], *lines[at + 1 :]])
            digest = {**places[at], "digest": f"sha1:{'A' * 32}"}
            other_digest = line[: line.index(b"{")] + json.dumps(digest).encode() + b"\n"
            yield f"index line {at} of other content", self._with_index([*lines[:at], other_digest, *lines[at + 1 :]])
        yield "index out of order", self._with_index(lines[::-1])
        yield "index twice", self._with_index(sorted(lines * 2))
        yield "index empty", self._with_index([])
        yield "no index", self.parts.drop(INDEX, INDEX_PLACES)
        cut = {INDEX_PLACES: self.parts.files[INDEX_PLACES].splitlines(keepends=True)[0]}
        yield "index with no places", self.parts.put(cut)
        elsewhere_named = self.parts.files[INDEX_PLACES].replace(b"index.cdx.gz", b"other.cdx.gz")
        yield "index of another name", self.parts.put({INDEX_PLACES: elsewhere_named})
        pages = self.parts.files[PAGES]
        yield "pages of elsewhere", self.parts.put({PAGES: pages.replace(b"site.example", b"court.example")})
        yield "pages of another day", self.parts.put({PAGES: pages.replace(b'"ts": "2', b'"ts": "1')})
        yield "another checkpoint", self.parts.put({CARRIED: self.other.files[CARRIED]})

    def _with_index(self, lines: list[bytes]) -> Parts:
        """The package with another index, and its places as they then are."""
        packed = gzip.compress(b"".join(lines))
        place = {"offset": 0, "length": len(packed), "digest": f"sha256:{hashlib.sha256(packed).hexdigest()}"}
        prefix = lines[0].partition(b"{")[0].rstrip() if lines else b"-"
        places = (
            self.parts.files[INDEX_PLACES].partition(b"\n")[0]
            + b"\n"
            + prefix
            + b" "
            + json.dumps(place).encode()
            + b"\n"
        )
        return self.parts.put({INDEX: packed, INDEX_PLACES: places})

    def _log_lies(self) -> dict[str, dict[str, bytes]]:
        """The log rolled back, forked, of somebody else, or without proofs."""
        note, proofs, facts = self.parts.files[CHECKPOINT], self.parts.json(PROOFS), self.parts.json(FACTS)
        lines = note.split(b"\n")
        rolled = b"\n".join([lines[0], b"%d" % (int(lines[1]) - 1), *lines[2:]])
        forked = b"\n".join([*lines[:2], base64.b64encode(hashlib.sha256(b"fork").digest()), *lines[3:]])
        shifted = copy.deepcopy(proofs)
        shifted["proofs"][0]["index"] = (shifted["proofs"][0]["index"] + 1) % shifted["size"]
        fewer = {**proofs, "proofs": proofs["proofs"][1:]}
        swapped = copy.deepcopy(proofs)
        first, second = swapped["proofs"][:2]
        first["path"], second["path"] = second["path"], first["path"]
        return {
            "rolled back": {CHECKPOINT: rolled},
            "forked": {CHECKPOINT: forked},
            "renamed": {CHECKPOINT: b"another-log" + note[note.index(b"\n") :]},
            "of another package": {CHECKPOINT: self.other.files[CHECKPOINT], PROOFS: self.other.files[PROOFS]},
            "checkpoint of another package": {CHECKPOINT: self.other.files[CHECKPOINT]},
            "proofs of another package": {PROOFS: self.other.files[PROOFS]},
            "signature cut off": {CHECKPOINT: b"\n".join(lines[:4]) + b"\n"},
            "garbage": {CHECKPOINT: b"garbage"},
            "proof shifted": {PROOFS: json.dumps(shifted).encode()},
            "proof missing": {PROOFS: json.dumps(fewer).encode()},
            "proofs swapped": {PROOFS: json.dumps(swapped).encode()},
            "of another size": {PROOFS: json.dumps({**proofs, "size": proofs["size"] + 1}).encode()},
            "key of another": {FACTS: json.dumps({**facts, "log_key": self.other.json(FACTS)["log_key"]}).encode()},
        }


def _is_recomputed(way: tuple[str | int, ...]) -> bool:
    """Whether a field of what a package states follows from its records."""
    return way[-1] in _CLAIMED or way[0] in _SURVEYED or any(each in _STATED for each in way)
