"""What a package claims beside its records, held against what follows from them: certificates, and the facts that
evidence.json states.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.evidence.package.evidence_facts import exchange_values, survey_values
from webkeep.evidence.verification.page_claims import are_pages_shown, shown_captures
from webkeep.evidence.verification.plan_claims import check_plans
from webkeep.evidence.verification.record_check import CheckedRecords
from webkeep.evidence.verification.verdict import CoherenceJudgement, SignatureJudgement
from webkeep.formats import Flaws, has_twin_keys, read_json

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


def check_claims(
    files: Mapping[str, bytes],
    records: CheckedRecords,
    signature: SignatureJudgement | None,
    source: str,
    flaws: Flaws,
) -> None:
    """Report every claim that the records do not bear out; and that another key signed than the one that is named."""
    for path, data in files.items():
        if has_twin_keys(data):
            flaws.report("evidence-facts", source, 0, f"{path} has a field twice, and readers take either")
        if path == CLAIMS_PATH:
            _check_facts(data, records, source, flaws)
            if signature is not None:
                _check_signer(data, signature, source, flaws)
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
    check_plans(value, records.captures, source, flaws)
    if records.survey is not None:
        _check_survey(CLAIMS_PATH, data, survey_values(records.survey), source, flaws)
    stated = value.get("is_proven", False)
    if not isinstance(stated, bool) or (stated and not _is_all_proven(value, records)):
        message = f"{CLAIMS_PATH} claims that all is proven, and its records do not prove that"
        flaws.report("evidence-facts", source, 0, message)


def _check_survey(path: str, data: bytes, known: Mapping[str, object], source: str, flaws: Flaws) -> None:
    """Report what a file states of connections, clocks and redaction that the records do not say, or leaves out."""
    stated = read_facts(data)
    for name, value in known.items():
        if name not in stated or not _is_same(stated[name], value):
            message = f"{path} says under {name!r} what its records do not say"
            flaws.report("evidence-facts", source, 0, message)


def _is_same(stated: object, known: object) -> bool:
    """Whether two values are the same as JSON, which tells truth from one."""
    return stated == known and json.dumps(stated, sort_keys=True) == json.dumps(known, sort_keys=True)


def _check_signer(data: bytes, signature: SignatureJudgement, source: str, flaws: Flaws) -> None:
    """The fingerprint of the key stands in what is signed, as the key itself does not; so does whether it is named."""
    seal = read_facts(data).get("seal")
    stated = seal if isinstance(seal, dict) else {}
    named = stated.get("fingerprint")
    if named and named != signature.fingerprint:
        message = f"its maker signed by the key {str(named)[:80]}, and somebody else did by {signature.fingerprint}"
        flaws.report("evidence-signer", source, 0, message)
    if stated.get("is_named", bool(signature.name)) is not bool(signature.name):
        message = "it does not say as it is whether a certificate names who signed it"
        flaws.report("evidence-signer", source, 0, message)


def _is_all_proven(value: Mapping[str, Any], records: CheckedRecords) -> bool:
    """Whether the records prove what is shown from every vantage point, and nothing is said to fall short."""
    recomputed = {each.capture: each for each in records.coherence}
    known = [recomputed.get(each) for each in shown_captures(value).values()]
    all_proven = bool(known) and all(each is not None and 0 < each.parts == each.proven for each in known)
    is_lost = any(each is not None and each.lost for each in known)
    offset = records.survey.clock_offset if records.survey is not None else None
    is_clock_right = offset is None or offset.is_agreeing
    is_shown = are_pages_shown(value, records.pages)
    return all_proven and is_shown and is_clock_right and not is_lost and not value.get("shortcomings")


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
    lost = {each.url for each in known.lost}
    are_named = _urls_of(claimed.get("unproven")) == known.unproven and lost <= _urls_of(claimed.get("lost"))
    return stated == (known.parts, known.proven, *moments) and are_named


def _urls_of(parts: object) -> frozenset[str]:
    """The addresses of parts that are listed as not proven, or as lost."""
    listed = parts if isinstance(parts, list) else []
    return frozenset(str(each.get("url")) for each in listed if isinstance(each, dict))
