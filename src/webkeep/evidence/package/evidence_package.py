"""An evidence package from beginning to end: captures from each vantage point, exhibits, facts, cover sheet, WACZ, and
the folder for people.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.browser.portraits import print_markup
from webkeep.coherence.certificates import CoherenceCertificate, certificate_to_json
from webkeep.crawl.plan import fetch_settings_from_plan
from webkeep.crawl.run import CaptureObserver
from webkeep.errors import RemoteError
from webkeep.evidence.package.capture_rounds import CaptureRound, capture_rounds
from webkeep.evidence.package.cover_sheet import render_cover_sheet
from webkeep.evidence.package.custody_log import CustodyLog
from webkeep.evidence.package.evidence_facts import (
    EvidenceFacts,
    VantageEvidence,
    render_connections_json,
    render_evidence_json,
)
from webkeep.evidence.package.evidence_plan import EvidencePlan
from webkeep.evidence.package.machine_facts import read_machine_facts
from webkeep.evidence.package.package_folder import (
    README_NAME,
    WACZ_NAME,
    building_folder,
    copy_for_people,
    describe_file,
    place_folder,
    write_package_wacz,
)
from webkeep.evidence.package.package_seal import LogProofs, PackageSeal, prove_log, write_stamp_files
from webkeep.evidence.package.page_exhibit import ExhibitWriter, PageExhibit
from webkeep.evidence.package.readme_text import render_readme
from webkeep.evidence.package.record_survey import survey_records
from webkeep.evidence.package.vantage_sheet import render_vantage_sheet
from webkeep.evidence.sealing import StampingResult, digest_file, write_sums
from webkeep.fetch.client import survey_origin
from webkeep.model import Clock, Moment
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.log import make_checkpoint

_COVER_HTML, _COVER_PDF = "cover.html", "cover.pdf"
_MACHINE_ENDINGS = (".json", ".jsonl", "checkpoint.txt")
"""What lies in the WACZ alone: people have the cover sheet."""
_MAX_ORIGINS_SURVEYED = 50
"""Servers that are shaken hands with; a page has parts of a dozen."""


@dataclass(frozen=True, slots=True)
class EvidencePackage:
    """A package that was made."""

    folder: Path
    facts: EvidenceFacts
    bytes: int
    """The size of the WACZ."""
    stamping: StampingResult | None = None
    """What authorities gave; None where none was asked."""


def make_package(
    plan: EvidencePlan, into: Path, seal: PackageSeal, observer: CaptureObserver, clock: Clock
) -> EvidencePackage | None:
    """Capture, package and seal; None where it was stopped before its end, which leaves nothing behind."""
    with building_folder(into) as work:
        return _PackageBuilder(plan, (into, work), seal, observer, clock).build()


class _PackageBuilder:
    def __init__(
        self, plan: EvidencePlan, places: tuple[Path, Path], seal: PackageSeal, observer: CaptureObserver, clock: Clock
    ) -> None:
        """The places are where it goes, and a folder to work in."""
        self._plan, self._seal, self._observer, self._clock = plan, seal, observer, clock
        self._into, work = places
        self._archive_path, self._files, self._target = work / "archive", work / "evidence", work / "package"
        self._files.mkdir()
        self._target.mkdir()
        self._custody = CustodyLog(clock, plan.operator)
        self._certificates: list[CoherenceCertificate] = []

    def build(self) -> EvidencePackage | None:
        began = self._clock.now()
        self._custody.note("begun", seeds=self._plan.seeds, about=self._plan.about)
        vantages = self._capture_all()
        if vantages is None:
            return None
        with Archive(self._archive_path) as archive:
            facts = self._gather(archive, vantages, began)
            facts = self._write_files(facts)
            stamping = self._write_wacz(archive, facts)
        is_private = any(each.plan.has_credentials for each in self._plan.vantages)
        place_folder(self._target, self._into, is_private)
        return EvidencePackage(self._into, facts, (self._into / WACZ_NAME).stat().st_size, stamping)

    def _capture_all(self) -> tuple[VantageEvidence, ...] | None:
        """Capture from all vantage points; None where a person stopped it."""
        found: list[VantageEvidence] = []
        with WritableArchive.create(self._archive_path, clock=self._clock, keep_log=True) as archive:
            for vantage in self._plan.vantages:
                rounds = list(capture_rounds(vantage, archive, self._observer, self._plan.rounds))
                for each in rounds:
                    self._note_round(vantage.name, each)
                if not rounds[-1].result.finished:
                    return None
                best = max(range(len(rounds)), key=lambda number: (rounds[number].proof.rank, number))
                self._certificates.append(rounds[best].certificate)
                found.append(VantageEvidence(vantage, tuple(each.proof for each in rounds), best))
            self._checkpoint = make_checkpoint(archive, self._seal.log_key)
        return tuple(found)

    def _note_round(self, vantage: str, done: CaptureRound) -> None:
        self._custody.note(
            "captured",
            vantage=vantage,
            capture=done.result.capture,
            bytes=done.result.bytes,
            seconds=round(done.result.seconds, 3),
            parts=done.proof.parts,
            proven=done.proof.proven,
        )

    def _gather(self, archive: Archive, vantages: tuple[VantageEvidence, ...], began: Moment) -> EvidenceFacts:
        """Everything that is to be said, but by which browser."""
        survey = survey_records(archive.records())
        if not any(each.proof.parts for each in vantages):
            lost = [part for each in vantages for part in each.proof.lost]
            reason = f"{lost[0].url}: {lost[0].reason}" if lost else "it gave no answer"
            raise RemoteError(f"nothing came of {self._plan.seeds[0]} ({reason}); there is nothing to package")
        writer = ExhibitWriter(archive, self._files)
        exhibits = [
            shown for each in vantages for shown in writer.write_exhibits(each.proof.capture, each.vantage.name)
        ]
        settings = fetch_settings_from_plan(self._plan.vantages[0].plan)
        origins = [survey_origin(each, settings, self._clock) for each in survey.origins[:_MAX_ORIGINS_SURVEYED]]
        warcs = [describe_file(archive.layout.warcs / name, f"archive/{name}") for name in archive.layout.warc_names()]
        self._custody.note("read", records=survey.records, files=[each.sha256 for each in warcs])
        return EvidenceFacts(
            str(uuid.uuid4()), self._plan, began, self._clock.now(), vantages, tuple(exhibits), survey, tuple(origins),
            read_machine_facts(""), tuple(warcs), self._seal.describe(self._prove_log(archive)),
        )  # fmt: skip

    def _prove_log(self, archive: Archive) -> LogProofs:
        """Prove that all records are in the log of the archive, and write that down."""
        assert archive.log is not None, "the archive was made with a log"
        proofs = prove_log(archive.log, archive.records(), self._checkpoint)
        self._write("log-checkpoint.txt", proofs.checkpoint)
        self._write("log-proofs.json", proofs.proofs)
        return proofs

    def _write_files(self, facts: EvidenceFacts) -> EvidenceFacts:
        """Write all files that go into the package beside the records; gives the facts as they are written."""
        picture = self._window_picture(facts.exhibits)
        known: list[EvidenceFacts] = []

        def render(browser: str) -> bytes:
            known.append(replace(facts, machine=read_machine_facts(browser)))
            return render_cover_sheet(known[0], picture)

        program = self._plan.vantages[0].plan.browser_program
        sheet = asyncio.run(print_markup(render, program, max_sheets=1))
        facts = known[0]
        self._write(_COVER_PDF, sheet)
        self._write(_COVER_HTML, render_cover_sheet(facts, picture))
        if len(facts.vantages) > 1:
            self._write("side-by-side.html", render_vantage_sheet(facts, self._files))
        self._write("evidence.json", render_evidence_json(facts))
        self._write("connections.json", render_connections_json(facts))
        for number, certificate in enumerate(self._certificates, 1):
            name = "certificate.json" if number == 1 else f"certificate-{number}.json"
            self._write(name, b"".join(certificate_to_json(certificate)))
        self._write(README_NAME, render_readme(facts.seal))
        for each in sorted(self._files.iterdir()):
            self._custody.note("written", file=each.name, sha256=digest_file(each))
        self._custody.note("handed on to be signed", signer=facts.seal.signer, authorities=facts.seal.authorities)
        self._write("custody.jsonl", self._custody.render())
        return facts

    def _write_wacz(self, archive: Archive, facts: EvidenceFacts) -> StampingResult | None:
        """Write the WACZ, seal it, and lay beside it what people look at."""
        title = f"Evidence of {facts.plan.seeds[0]}"
        write_package_wacz(archive, self._files, self._target / WACZ_NAME, title, self._clock.now())
        stamping = self._seal.seal(self._target / WACZ_NAME)
        copy_for_people(self._files, self._target, _MACHINE_ENDINGS)
        write_stamp_files(self._target / WACZ_NAME, self._target)
        write_sums(self._target)
        return stamping

    def _window_picture(self, exhibits: Sequence[PageExhibit]) -> bytes:
        """What the window showed of the first page."""
        name = f"{exhibits[0].name}-window.png" if exhibits else ""
        return (self._files / name).read_bytes() if exhibits and name in exhibits[0].files else b""

    def _write(self, name: str, data: bytes) -> None:
        (self._files / name).write_bytes(data)
