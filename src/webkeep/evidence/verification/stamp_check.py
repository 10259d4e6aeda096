"""The time stamps of a package: of datapackage-digest.json, or of a signature as the published form has it."""

from __future__ import annotations

from collections.abc import Mapping

from webkeep.errors import FormatError
from webkeep.evidence.verification.signature_check import CheckedSignature
from webkeep.evidence.verification.verdict import SIGNATURE_PLACE, StampJudgement
from webkeep.evidence.verification.verification_request import PackageTrust
from webkeep.formats import Flaws
from webkeep.formats.wacz import STAMP_FOLDER, decode_base64
from webkeep.model import Moment
from webkeep.signing import StampFlaw, TimeStamp, parse_certificates

_REQUEST_MARK, _RESPONSE_MARK = "-tsq", "-tsr"


class StampCheck:
    """Judges stamps by whom is trusted, and reports those that prove nothing."""

    def __init__(self, trust: PackageTrust, created: Moment | None, source: str, flaws: Flaws) -> None:
        self._verifier = trust.stamp_verifier
        self._created = created
        self._source = source
        self._flaws = flaws

    def check_files(self, files: Mapping[str, bytes], digest_file: bytes) -> list[StampJudgement]:
        """The stamps that lie beside datapackage-digest.json, by their paths: answers with their requests."""
        found: list[StampJudgement] = []
        for path, response in files.items():
            other = path[: -len(_RESPONSE_MARK)]
            if path.endswith(_REQUEST_MARK) and f"{other}{_RESPONSE_MARK}" in files:
                continue
            if not path.endswith(_RESPONSE_MARK) or f"{other}{_REQUEST_MARK}" not in files:
                message = f"{path[:200]!r} is no time stamp with its request, and nothing covers it"
                self._flaws.report("stamp-stray", self._source, 0, message)
                continue
            judged = self._verifier.verify(response, digest_file, files[f"{other}{_REQUEST_MARK}"])
            found += self._take(judged, path)
        return found

    def check_signature_stamp(self, checked: CheckedSignature) -> list[StampJudgement]:
        """The stamp of the signature that the published form has.

        With a key of one's own it proves nothing by itself: for other content there is another key under which the
        same signature is right. So it counts with a certificate, or where the key is the one that was asked for.
        """
        signed = checked.signed
        if not signed.time_signature:
            return []
        try:
            response = decode_base64(signed.time_signature, "the time stamp")
            chain = parse_certificates(signed.timestamp_cert) if signed.timestamp_cert else ()
        except FormatError as error:
            self._flaws.report("stamp-unreadable", self._source, 0, f"{SIGNATURE_PLACE}: {error.args[0]}")
            return []
        judged = self._verifier.verify(response, signed.signature.encode(), chain=chain)
        found = self._take(judged, SIGNATURE_PLACE)
        if checked.is_own and found and found[0].stamp.certificates != signed.timestamp_cert:
            message = "the certificates beside the time stamp of the signature are not those of its authority"
            self._flaws.report("signature-fields", self._source, 0, message)
        return found if checked.chain or checked.judgement.is_expected else []

    def _take(self, judged: TimeStamp | StampFlaw, place: str) -> list[StampJudgement]:
        if isinstance(judged, StampFlaw):
            self._flaws.report(judged.code, self._source, 0, f"{place} proves no time: {judged.meaning}")
            return []
        gap = judged.moment.seconds_since(self._created) if self._created is not None else None
        return [StampJudgement(place, judged, gap)]


def is_stamp_path(path: str) -> bool:
    """Whether a file of a package is a time stamp, which the manifest cannot list."""
    return path.startswith(STAMP_FOLDER)
