"""Packages tampered with by program, in every way that somebody with or without keys could: each file, each field, each
record, signatures, stamps and logs; and sound ones in every form. What counts is what `webkeep verify` says of each.

    .venv/bin/python -m bench.evidence_tampering [--quick]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from bench.evidence_alterations import STAMP, Alteration, Alterations
from bench.evidence_doubles import Doubles
from bench.evidence_forgery import zip_in_one_go
from bench.evidence_insider import FACTS
from bench.evidence_package import DIGEST_FILE, Parts, Sealer, build_package
from bench.evidence_zip import make_by_hand
from bench.measuring import PEERS
from bench.time_authority import make_certificate
from webkeep.clock import SystemClock
from webkeep.evidence.verification import PackageTrust, PackageVerdict, verify_package
from webkeep.signing import SigningIdentity, SigningKey


@dataclass(frozen=True)
class Outcome:
    """What came of all of them."""

    tamperings: int
    accepted: tuple[str, ...]
    sound: int
    sound_refused: tuple[str, ...]
    families: dict[str, int]

    def figures(self) -> dict[str, object]:
        """What the bench prints."""
        return {
            "tamperings": self.tamperings,
            "accepted": len(self.accepted),
            "sound": self.sound,
            "sound_refused": len(self.sound_refused),
            "families": self.families,
        }


class TamperingLab:
    """Makes packages, sound and otherwise, and has them judged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.sealer = Sealer.create(folder / "owner")
        self.path = self._seal(build_package(folder / "sound.wacz", self.sealer))
        other = self._seal(build_package(folder / "other.wacz", self.sealer, says=b"<!-- another -->"))
        self.altered = Alterations(self.path, other, self.sealer, Sealer.create(folder / "stranger"))
        self.parts = self.altered.parts
        self.trust = PackageTrust(
            SystemClock().now(),
            (),
            (self.sealer.authority.root.certificate,),
            (self.sealer.key.public,),
            needs_stamp=True,
        )

    def _seal(self, path: Path) -> Path:
        self.sealer.sign(path)
        self.sealer.stamp(path)
        return path

    def judge(self, data: bytes, trust: PackageTrust | None = None) -> PackageVerdict:
        """What is said of a package."""
        path = self._folder / "judged.wacz"
        path.write_bytes(data)
        trust = trust or self.trust
        # What was stamped since the laboratory was opened is not of the future, however long it takes.
        return verify_package(path, replace(trust, now=max(trust.now, SystemClock().now())))

    def run(self, share: int = 1) -> Outcome:
        """Judge every so many of all alterations, and all that is sound."""
        accepted: list[str] = []
        families: Counter[str] = Counter()
        count = 0
        for number, each in enumerate(self._list_alterations()):
            if number % share:
                continue
            count += 1
            families[each.name.partition(":")[0]] += 1
            if self.judge(each.data, each.trust).is_sound:
                accepted.append(each.name)
        judged = {name: self.judge(data, trust) for name, data, trust in self.sound_packages()}
        refused = tuple(name for name, verdict in judged.items() if not verdict.is_sound)
        return Outcome(count, tuple(accepted), len(judged), refused, dict(families))

    def _list_alterations(self) -> Iterator[Alteration]:
        """All of them, those among them that no stamp covers: of packages that were never stamped."""
        yield from self.altered.list_all()
        unstamped = replace(self.trust, needs_stamp=False)
        doubles = Doubles(self.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr"), unstamped)
        yield from doubles.list_all()
        for _, data, trust in self._certified_packages(unstamped):
            path = self._folder / "doubled.wacz"
            path.write_bytes(data)
            bare = Parts.read(path).drop(f"{STAMP}-tsq", f"{STAMP}-tsr")
            yield from Doubles(bare, replace(trust, needs_stamp=False)).list_uncovered_fields()

    def sound_packages(self) -> Iterator[tuple[str, bytes, PackageTrust | None]]:
        """Packages with nothing wrong about them, in every form, and whom to trust for each."""
        yield "as it was made", self.path.read_bytes(), None
        yield "zipped anew", self.parts.build(), None
        yield "zipped by hand", make_by_hand(self.parts.files).data, None
        by_hand = make_by_hand(self.parts.files)
        yield "with 64-bit fields", by_hand.members + by_hand.directory + by_hand.end64() + by_hand.end(), None
        yield "zipped in one go", zip_in_one_go(self.parts), None
        everything = frozenset(name for name in self.parts.files if not name.startswith("archive/"))
        yield "more of it deflated", replace(self.parts, deflated=everything).build(), None
        yield "all of it deflated, as by zip", replace(self.parts, deflated=frozenset(self.parts.files)).build(), None
        yield "none of it deflated", replace(self.parts, deflated=frozenset()).build(), None
        yield (
            "in another order",
            replace(self.parts, files=dict(reversed(list(self.parts.files.items())))).build(),
            None,
        )
        yield "signed again", self.altered.resign(self.parts, self.sealer), None
        yield "stamped twice", self._stamped_twice(), None
        later = SystemClock().now().plus(25 * 365 * 86400)
        yield "25 years later", self.path.read_bytes(), replace(self.trust, now=later)
        unstamped = replace(self.trust, needs_stamp=False)
        yield "without a stamp", self.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr").build(), unstamped
        unsigned = replace(unstamped, needs_signature=False, keys=())
        bare = self.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr").put(
            {DIGEST_FILE: json.dumps({name: self.parts.json(DIGEST_FILE)[name] for name in ("path", "hash")}).encode()}
        )
        yield "unsigned, where that will do", bare.build(), unsigned
        yield from self._certified_packages(unstamped)
        yield "made by py-wacz", self._made_by_peer(), unsigned

    def _stamped_twice(self) -> bytes:
        path = self._folder / "twice.wacz"
        shutil.copyfile(self.path, path)
        self.sealer.stamp(path, "002-authority")
        return path.read_bytes()

    def _certified_packages(self, trust: PackageTrust) -> Iterator[tuple[str, bytes, PackageTrust]]:
        root = make_certificate("an authority")
        between = make_certificate("one below it", root)
        domain = make_certificate("archive.example", between, ExtendedKeyUsageOID.SERVER_AUTH,
                                  alternative=x509.DNSName("archive.example"))  # fmt: skip
        person = make_certificate("A Person", between, ExtendedKeyUsageOID.EMAIL_PROTECTION,
                                  alternative=x509.RFC822Name("person@archive.example"))  # fmt: skip
        for name, each in (("by a domain", domain), ("by a person", person)):
            path = self._folder / "certified.wacz"
            identity = SigningIdentity(SigningKey(each.key), (each.certificate, between.certificate))
            facts = self.parts.json(FACTS) | {"seal": {"fingerprint": identity.key.public.fingerprint}}
            bare = self.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr").put({FACTS: json.dumps(facts).encode()})
            path.write_bytes(bare.remake().build())
            self.sealer.sign(path, identity)
            self.sealer.stamp(path)
            yield name, path.read_bytes(), replace(trust, keys=(), signers=(root.certificate,), needs_stamp=True)

    def _made_by_peer(self) -> bytes:
        name = next(each for each in self.parts.files if each.startswith("archive/"))
        warc, made = self._folder / "peer.warc.gz", self._folder / "peer.wacz"
        warc.write_bytes(self.parts.files[name])
        words = [str(PEERS / "tools/bin/wacz"), "create", "--detect-pages", "-o", str(made), str(warc)]
        subprocess.run(words, check=True, capture_output=True)
        return made.read_bytes()


def measure(quick: bool) -> dict[str, object]:
    """The figures of all of them, or of an eighth, by the names they have in the bench of evidence."""
    with tempfile.TemporaryDirectory() as folder:
        return TamperingLab(Path(folder)).run(share=8 if quick else 1).figures()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of them")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = TamperingLab(Path(folder)).run(share=3 if args.quick else 1)
    for name in outcome.accepted:
        print(f"accepted: {name}")
    for name in outcome.sound_refused:
        print(f"refused: {name}")
    print(json.dumps(outcome.figures()))


if __name__ == "__main__":
    main()
