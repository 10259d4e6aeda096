"""Packages that say two things: to one reader this and to another that, or the same by a signature and in fields that
nobody signed. No stamp covers them, as packages may have none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cryptography.x509.oid import ExtendedKeyUsageOID

from bench.evidence_alterations import Alteration
from bench.evidence_forgery import change_field, der_signature, list_fields, negate_signature
from bench.evidence_package import DIGEST_FILE, Parts
from bench.evidence_zip import HandMadeZip, deflate, further_field, hide_directory, make_by_hand, other_name
from bench.time_authority import make_certificate
from webkeep.evidence.verification import PackageTrust

_COVER = "evidence/cover.html"
_STORY = b"<h1>It stood there, and much else</h1>"


class Doubles:
    """What can be made of a package that nobody has dated."""

    def __init__(self, parts: Parts, trust: PackageTrust) -> None:
        self._parts = parts
        self._trust = trust

    def list_all(self) -> Iterator[Alteration]:
        """All of them."""
        yield from self.list_uncovered_fields()
        for what, data in self._list_containers():
            yield Alteration(f"double: {what}", data, self._trust)

    def list_uncovered_fields(self) -> Iterator[Alteration]:
        """Each field of the digest file changed, removed and put in, as webkeep would write it."""
        value = self._parts.json(DIGEST_FILE)
        for way in list_fields(value):
            for what, changed in change_field(value, way):
                yield self._with_digest(f"{'.'.join(way)} {what}", changed)
        stray = make_certificate("court.example", purpose=ExtendedKeyUsageOID.SERVER_AUTH).pem.decode()
        signed = value["signedData"]
        fields = {"version": "9.9.9", "crossSignedCert": stray, "timestampCert": stray, "timeSignature": "MAA="}
        if "publicKey" in signed:
            fields |= {
                "signature": der_signature(signed["signature"]),
                "domain": "court.example",
            }
            yield self._with_signed("signature negated", signature=negate_signature(signed["signature"]))
        else:
            chain = signed["domainCert"]
            fields |= {"domain": "court.example", "domainCert": chain + stray}
            yield self._with_signed("words between certificates", domainCert=f"By the court:\n{chain}")
            first = chain.index("-----BEGIN", 1)
            yield self._with_signed("a certificate twice", domainCert=chain + chain[first:])
        for name, text in fields.items():
            yield self._with_signed(f"{name} put in", **{name: text})

    def _list_containers(self) -> Iterator[tuple[str, bytes]]:
        files = self._parts.files
        for name in files:
            other = other_name(name, f"{name}.old")
            yield f"{name} has another name for some", make_by_hand(files, name, local=other, central=other).data
            yield f"{name} has another name in the directory", make_by_hand(files, name, central=other).data
            yield f"something in a field of {name}", make_by_hand(files, name, local=further_field(9, _STORY)).data
            yield f"another package in a field of {name}", hide_directory(files, name, {_COVER: _STORY})
            packed = deflate(files[name]) + _STORY
            yield f"something behind the end of {name}", make_by_hand(files, name, packed=packed).data
            yield f"a folder over {name}", _with_folder(files, f"{name}/", b"")
        yield "a folder with content", _with_folder(files, "evidence/", _STORY)
        yield "a folder of nothing", _with_folder(files, "more/", b"")
        made = make_by_hand(files)
        for where in ({"offset": 0}, {"count": 1}, {"size": 46}):
            yield f"another {where} for some", made.members + made.directory + made.end64() + made.end(**where)
            yield f"another {where}", made.members + made.directory + made.end(**where)
        for where in ({"offset": 0}, {"count": 1}, {"at": 0}, {"length": 56}):
            yield f"another {where} in 64 bits", made.members + made.directory + made.end64(**where) + made.end()

    def _with_signed(self, what: str, **fields: str) -> Alteration:
        value = self._parts.json(DIGEST_FILE)
        return self._with_digest(what, {**value, "signedData": {**value["signedData"], **fields}})

    def _with_digest(self, what: str, value: dict[str, Any]) -> Alteration:
        data = json.dumps(value, indent=2).encode()
        return Alteration(f"uncovered: {what}", self._parts.put({DIGEST_FILE: data}).build(), self._trust)


def _with_folder(files: Any, name: str, data: bytes) -> bytes:
    made: HandMadeZip = make_by_hand(files)
    made.add(name, data)
    return made.data
