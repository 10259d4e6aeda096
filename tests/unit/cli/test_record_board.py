"""What a person is told while a recording runs."""

import io
from pathlib import Path

from webkeep.cli.output import Output
from webkeep.cli.record_board import RecordBoard
from webkeep.crawl.record_plan import RecordPlan
from webkeep.crawl.record_session import Passing
from webkeep.model import Outcome
from webkeep.redaction import NO_REDACTION, RedactionRules


def board() -> tuple[RecordBoard, io.StringIO]:
    said = io.StringIO()
    return RecordBoard(Output(False, io.StringIO(), said)), said


def test_what_is_redacted_is_told_kind_by_kind() -> None:
    shown, said = board()
    rules = RedactionRules(added=("header:x-a", "field:*b*", "header:x-key", "answer:token"), kept=("header:cookie",))
    shown.explain(RecordPlan(Path(), redaction=rules), Path("ca.pem"), "")
    shown.explain(RecordPlan(Path(), redaction=NO_REDACTION), Path("ca.pem"), "")
    told = [line for line in said.getvalue().splitlines() if "redacted" in line]
    assert told == [
        "redacted in records: credentials in headers, URLs, forms and frames; headers x-a, x-key; fields of forms *b*; "
        "values in answers token; but not headers cookie",
        "nothing is redacted in records",
    ]


def test_who_is_kept_from_a_private_address_is_told_of_the_option() -> None:
    shown, said = board()
    for reason in ("forbidden-address: 10.0.0.1 is not a public address", "name-not-resolved: no such host"):
        shown.passed(Passing("http://a.test/", "GET", 0, Outcome.FAILED, reason, 0))
    notes = [line for line in said.getvalue().splitlines() if line.startswith("failed")]
    assert notes == [
        "failed: http://a.test/ (forbidden-address: 10.0.0.1 is not a public address; --private lets clients go there)",
        "failed: http://a.test/ (name-not-resolved: no such host)",
    ]
