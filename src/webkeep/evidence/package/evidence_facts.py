"""All that a package says of itself, as values: what was looked at, from where, when and by whom, what is proven and
what is not; and the same as JSON.
"""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from webkeep.evidence.package.coherence_proof import CoherenceProof
from webkeep.evidence.package.evidence_plan import EvidencePlan, VantagePoint
from webkeep.evidence.package.machine_facts import MachineFacts
from webkeep.evidence.package.page_condition import PAGE_CONDITIONS, PageCondition
from webkeep.evidence.package.page_exhibit import PageExhibit
from webkeep.evidence.package.record_survey import RecordSurvey
from webkeep.fetch.client import OriginSurvey
from webkeep.model import Moment
from webkeep.presentation import format_count, format_instant

FORMAT_NAME, FORMAT_VERSION = "webkeep-evidence", 1


@dataclass(frozen=True, slots=True)
class VantageEvidence:
    """What was captured from one vantage point."""

    vantage: VantagePoint
    rounds: tuple[CoherenceProof, ...]
    chosen: int
    """The round whose pages are shown, which proves most."""

    @property
    def proof(self) -> CoherenceProof:
        """What the round proves whose pages are shown."""
        return self.rounds[self.chosen]


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file of the package."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SealFacts:
    """Who signs a package and who is asked to date it, as far as that is known before it is signed."""

    signer: str = ""
    """In words; empty where nobody signs."""
    is_named: bool = False
    """Whether a certificate says who signs."""
    authorities: tuple[str, ...] = ()
    """The time-stamping authorities that are asked."""
    fingerprint: str = ""
    """Of the key that signs: which key it is stands in no field that a signature covers but this one."""
    algorithm: str = ""
    """By which kind of signature it signs, in the words of its key."""
    log: str = ""
    """What the log of the archive says, in words; empty where there is none."""
    log_key: str = ""
    """The key that signed the checkpoint of the log, in the form of signed notes."""


@dataclass(frozen=True, slots=True)
class EvidenceFacts:
    """All that a package says of itself."""

    identifier: str
    plan: EvidencePlan
    began: Moment
    ended: Moment
    vantages: tuple[VantageEvidence, ...]
    exhibits: tuple[PageExhibit, ...]
    survey: RecordSurvey
    origins: tuple[OriginSurvey, ...]
    machine: MachineFacts
    records: tuple[PackedFile, ...]
    """The WARC files."""
    seal: SealFacts = SealFacts()

    @property
    def is_proven(self) -> bool:
        """Whether every page is shown, and every part of each is proven."""
        return not any(self.find_shortcomings())

    @property
    def shows_pages(self) -> bool:
        """Whether at least one page is shown, and not only errors, walls and the like."""
        return any(each.condition in PAGE_CONDITIONS for each in self.exhibits)

    @property
    def shows_files_alone(self) -> bool:
        """Whether all that was asked for are files, which no browser shows."""
        return bool(self.exhibits) and all(each.condition is PageCondition.FILE for each in self.exhibits)

    @property
    def is_at_rest(self) -> bool:
        """Whether every page came to rest before it was pictured."""
        return not any(each.condition is PageCondition.RESTLESS for each in self.exhibits)

    def find_shortcomings(self) -> Iterator[str]:
        """What is not proven, or not shown, or not as it should be; each in a sentence."""
        if not self.exhibits:
            yield "No page is shown: none of what came is a page that a browser shows."
        for exhibit in self.exhibits:
            if exhibit.remark:
                is_page = exhibit.condition in PAGE_CONDITIONS
                yield f"{exhibit.name}{'' if is_page else ' is not the page'}: {exhibit.remark}."
            yield from (f"{exhibit.name}: {trouble}." for trouble in exhibit.troubles)
        for each in self.vantages:
            yield from _proof_shortcomings(each, len(self.vantages) > 1)
        offset = self.survey.clock_offset
        if offset is not None and not offset.is_agreeing:
            yield f"The time is in doubt: {offset.describe()}."
        for origin in self.origins:
            yield from _origin_shortcomings(origin)

    def find_reservations(self) -> Iterator[str]:
        """What rests on the operator's word alone, by the way that was asked for; each in a sentence."""
        has_own_trust = any(each.plan.certificate_authorities for each in self.plan.vantages)
        given = [
            each.origin for each in self.origins if each.is_address_given and (has_own_trust or not each.is_trusted)
        ]
        if given:
            more = f" and {len(given) - 1:,} more" if len(given) > 1 else ""
            yield f"The address of {given[0]}{more} was given by the operator (--resolve): the name may lead elsewhere."
        if has_own_trust and any(each.is_encrypted for each in self.origins):
            yield "Certificates were held against authorities that the operator named (--ca); not all trust them."


def _origin_shortcomings(origin: OriginSurvey) -> Iterator[str]:
    if origin.is_trusted is False:
        yield f"Nobody trusted vouches that {origin.origin} is the server it claims to be: {origin.trouble}."
    elif origin.is_encrypted and origin.is_trusted is None:
        yield f"The certificate of {origin.origin} is not known: no handshake came about ({origin.trouble})."


def _proof_shortcomings(each: VantageEvidence, is_named: bool) -> Iterator[str]:
    proof, place = each.proof, f" ({each.vantage.name})" if is_named else ""
    if proof.unproven:
        first = proof.unproven[0]
        if proof.parts == 1:
            yield f"The page{place} is not proven to have been the same at a second look: {first.reason}."
            return
        told = format_count(len(proof.unproven), "part")
        verb = "is" if len(proof.unproven) == 1 else "are"
        more = f"{len(proof.unproven) - 1:,} more, see evidence.json" if len(proof.unproven) > 1 else ""
        yield f"{told} of {proof.parts:,}{place} {verb} not proven to have been there together with the others: " + (
            f"{first.url} ({first.reason}){f'; and {more}' if more else ''}."
        )
    if proof.lost:
        first = proof.lost[0]
        more = f"; and {len(proof.lost) - 1:,} more, see evidence.json" if len(proof.lost) > 1 else ""
        yield f"{format_count(len(proof.lost), 'part')}{place} could not be had: {first.url} ({first.reason}){more}."


def describe_span(proof: CoherenceProof) -> str:
    """The time for which the parts are proven to have been there together."""
    if proof.since is None or proof.until is None:
        return ""
    first, last = format_instant(proof.since), format_instant(proof.until)
    return f"at {first} UTC" if first == last else f"from {first} to {last} UTC"


def describe_server_survey(facts: EvidenceFacts) -> str:
    """When and from where servers were asked for what their answers do not tell of connections."""
    place = ", from the first vantage point" if len(facts.vantages) > 1 else ""
    return f"Names and certificates of servers were asked for once more, right after the capture{place}."


def render_evidence_json(facts: EvidenceFacts) -> bytes:
    """The facts as JSON; nothing secret is in a plan's text."""
    plan = facts.plan
    value = {
        "format": FORMAT_NAME,
        "version": FORMAT_VERSION,
        "id": facts.identifier,
        "seeds": plan.seeds,
        "operator": plan.operator,
        "about": plan.about,
        "began": facts.began,
        "ended": facts.ended,
        "is_proven": facts.is_proven,
        "shortcomings": list(facts.find_shortcomings()),
        "reservations": list(facts.find_reservations()),
        "vantages": [_vantage_values(each) for each in facts.vantages],
        "pages": facts.exhibits,
        "records": facts.records,
        **survey_values(facts.survey),
        "servers": {"origins": len(facts.origins), "words": describe_server_survey(facts)},
        "machine": facts.machine,
        "seal": facts.seal,
        "log_key": facts.seal.log_key,
    }
    return render_json(value)


def _vantage_values(each: VantageEvidence) -> dict[str, object]:
    return {
        "name": each.vantage.name,
        "differs": each.vantage.description,
        "plan": json.loads(each.vantage.plan.to_text()),
        "shown_round": each.chosen + 1,
        "rounds": each.rounds,
    }


def render_connections_json(facts: EvidenceFacts) -> bytes:
    """Heads of all exchanges, redirects among them, and what servers showed of themselves."""
    value = {
        "format": "webkeep-evidence-connections",
        "version": FORMAT_VERSION,
        "origins": [_origin_values(each) for each in facts.origins],
        **exchange_values(facts.survey),
    }
    return render_json(value)


def survey_values(survey: RecordSurvey) -> dict[str, object]:
    """What evidence.json says that follows from the records alone, as it stands there."""
    offset = survey.clock_offset
    value = {
        "exchanges": survey.exchange_count,
        "clock": {**dataclasses.asdict(offset), "words": offset.describe()} if offset is not None else None,
        "redacted": [
            {"place": each.place, "kind": each.kind, "values": count} for each, count in sorted(survey.redacted.items())
        ],
    }
    return dict(_plain(value))


def exchange_values(survey: RecordSurvey) -> dict[str, object]:
    """The same of connections.json."""
    listed = [
        {
            "url": each.url,
            "moment": each.moment,
            "address": each.address,
            "protocols": each.protocols,
            "request": request,
            "answer": each.answer,
        }
        for each, request in survey.list_exchanges()
    ]
    return dict(_plain({"exchanges": listed, "listed": len(survey.exchanges), "all": survey.exchange_count}))


def _origin_values(each: OriginSurvey) -> dict[str, object]:
    chain_values = [{**plain_values(seen), "valid_then": seen.is_valid_at(each.moment)} for seen in each.chain]
    return {**plain_values(each), "chain": chain_values}


def render_json(value: object) -> bytes:
    """A value as JSON that people can read."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


def plain_values(value: Any) -> dict[str, object]:
    """The fields of a value as JSON has them."""
    return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}


def _plain(value: Any) -> Any:
    match value:
        case enum.Enum():
            return value.value
        case Moment():
            return value.iso()
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case tuple() | list():
            return [_plain(each) for each in value]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return plain_values(value)
        case _:
            return value
