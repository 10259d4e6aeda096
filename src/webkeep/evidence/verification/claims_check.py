"""What a package claims beside its records, held against what follows from them: certificates, and the facts that
evidence.json states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.evidence.package.evidence_facts import exchange_values, survey_values
from webkeep.evidence.verification.record_check import CheckedRecords
from webkeep.evidence.verification.verdict import CoherenceJudgement
from webkeep.formats import Flaws, read_json

CLAIMS_PATH, CONNECTIONS_PATH = "evidence/evidence.json", "evidence/connections.json"
CERTIFICATE_START, _JSON_END = "evidence/certificate", ".json"
_FORMAT, _VERSION = "webkeep-evidence", 1
"""Of evidence.json, as it is written now."""
_DOUBTS = ("shortcomings", "reservations")
_MAX_DOUBTS, _MAX_DOUBT_CHARS = 20, 500
"""As many as people read; the file has all."""


def is_claim_path(path: str) -> bool:
    """Whether a file of a package claims something that can be recomputed."""
    return path in (CLAIMS_PATH, CONNECTIONS_PATH) or (path.startswith(CERTIFICATE_START) and path.endswith(_JSON_END))


def check_claims(files: Mapping[str, bytes], records: CheckedRecords, signer: str, source: str, flaws: Flaws) -> None:
    """Report every claim that the records do not bear out; and that another key signed than the one that is named."""
    for path, data in files.items():
        if path == CLAIMS_PATH:
            _check_facts(data, records, source, flaws)
            _check_signer(data, signer, source, flaws)
        elif path == CONNECTIONS_PATH:
            _check_survey(path, data, exchange_values(records.survey) if records.survey else {}, source, flaws)
        else:
            _check_certificate(path, data, records, source, flaws)


def read_stated_doubts(data: bytes) -> Iterator[str]:
    """What evidence.json itself says is not proven, or not shown: its maker's word, in sentences."""
    stated = [read_facts(data).get(name) for name in _DOUBTS]
    sentences = [each for listed in stated if isinstance(listed, list) for each in listed if isinstance(each, str)]
    for sentence in sentences[:_MAX_DOUBTS]:
        yield f"Its maker says: {sentence[:_MAX_DOUBT_CHARS]}"
    if len(sentences) > _MAX_DOUBTS:
        yield f"Its maker says {len(sentences) - _MAX_DOUBTS} things more in {CLAIMS_PATH}."


def _check_certificate(path: str, data: bytes, records: CheckedRecords, source: str, flaws: Flaws) -> None:
    value = read_json(data)
    capture = value.get("capture") if isinstance(value, dict) else None
    if records.certificates.get(str(capture)) != data:
        message = f"{path} does not follow from the records: what they prove of coherence is something else"
        flaws.report("evidence-certificate", source, 0, message)


def _check_facts(data: bytes, records: CheckedRecords, source: str, flaws: Flaws) -> None:
    value = read_json(data)
    if not isinstance(value, dict) or (value.get("format"), value.get("version")) != (_FORMAT, _VERSION):
        message = f"{CLAIMS_PATH} is no such file, or of a later version of webkeep"
        flaws.report("evidence-facts", source, 0, message)
        return
    recomputed = {each.capture: each for each in records.coherence}
    for claimed in _claimed_proofs(value):
        known = recomputed.get(str(claimed.get("capture")))
        if known is None or not _is_borne_out(claimed, known):
            capture = str(claimed.get("capture"))[:80]
            message = f"{CLAIMS_PATH} claims something of the capture {capture} that its records do not prove"
            flaws.report("evidence-facts", source, 0, message)

    if records.survey is not None:
        _check_survey(CLAIMS_PATH, data, survey_values(records.survey), source, flaws)
    offset = records.survey.clock_offset if records.survey is not None else None
    is_clock_right = offset is None or offset.is_agreeing
    if value.get("is_proven") is True and not (is_clock_right and _is_all_proven(value, recomputed)):
        message = f"{CLAIMS_PATH} claims that all is proven, and its records do not prove that"
        flaws.report("evidence-facts", source, 0, message)


def _check_survey(path: str, data: bytes, known: Mapping[str, object], source: str, flaws: Flaws) -> None:
    """Report what a file states of connections, clocks and redaction that the records do not say."""
    stated = read_facts(data)
    for name, value in known.items():
        if name in stated and stated[name] != value:
            message = f"{path} says under {name!r} what its records do not say"
            flaws.report("evidence-facts", source, 0, message)


def _check_signer(data: bytes, signer: str, source: str, flaws: Flaws) -> None:
    """The fingerprint of the key stands in what is signed, as the key itself does not."""
    seal = read_facts(data).get("seal")
    named = seal.get("fingerprint") if isinstance(seal, dict) else None
    if named and signer and named != signer:
        message = f"its maker signed by the key {str(named)[:80]}, and somebody else did by {signer}"
        flaws.report("evidence-signer", source, 0, message)


def _is_all_proven(value: Mapping[str, Any], recomputed: Mapping[str, CoherenceJudgement]) -> bool:
    """Whether the records prove what is shown from every vantage point, and nothing is said to fall short."""
    vantages = value.get("vantages")
    shown = [_shown_capture(each) for each in vantages] if isinstance(vantages, list) else []
    known = [recomputed.get(each) for each in shown]
    all_proven = bool(known) and all(each is not None and 0 < each.parts == each.proven for each in known)
    return all_proven and not value.get("shortcomings")


def _shown_capture(vantage: object) -> str:
    """The capture whose pages are shown from a vantage point."""
    match vantage:
        case {"rounds": list() as rounds, "shown_round": int() as number} if 0 < number <= len(rounds):
            shown = rounds[number - 1]
            return str(shown.get("capture")) if isinstance(shown, dict) else ""
    return ""


def read_facts(data: bytes) -> Mapping[str, Any]:
    """The facts that evidence.json states; nothing where it is no such file."""
    value = read_json(data)
    return value if isinstance(value, dict) else {}


def _claimed_proofs(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    vantages = value.get("vantages")
    rounds = [each.get("rounds") for each in vantages if isinstance(each, dict)] if isinstance(vantages, list) else []
    return [proof for each in rounds if isinstance(each, list) for proof in each if isinstance(proof, dict)]


def _is_borne_out(claimed: Mapping[str, Any], known: CoherenceJudgement) -> bool:
    moments = tuple(each.iso() if each else None for each in (known.since, known.until))
    stated = (claimed.get("parts"), claimed.get("proven"), claimed.get("since"), claimed.get("until"))
    return stated == (known.parts, known.proven, *moments)
