"""What a person is told while a recording runs."""

import io
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.progress.recording_view import RecordingProgressView
from webkeep.crawl.recording import RecordedExchange, RecordingPlan
from webkeep.model import UrlOutcome
from webkeep.redaction import NO_REDACTION, RedactionRules


def board() -> tuple[RecordingProgressView, io.StringIO]:
    said = io.StringIO()
    return RecordingProgressView(Output(False, io.StringIO(), said)), said


def test_what_is_redacted_is_told_kind_by_kind() -> None:
    shown, said = board()
    rules = RedactionRules(added=("header:x-a", "field:*b*", "header:x-key", "response:token"), kept=("header:cookie",))
    shown.print_instructions(RecordingPlan(Path(), redaction=rules), Path("ca.pem"), "")
    shown.print_instructions(RecordingPlan(Path(), redaction=NO_REDACTION), Path("ca.pem"), "")
    told = [line for line in said.getvalue().splitlines() if "redacted" in line]
    assert told == [
        "redacted in records: credentials in headers, URLs, forms and frames; headers x-a, x-key; fields of forms *b*; "
        "values in responses token; but not headers cookie",
        "nothing is redacted in records",
    ]


def test_who_is_kept_from_a_private_address_is_told_of_the_option() -> None:
    shown, said = board()
    for reason in ("forbidden-address: 10.0.0.1 is not a public address", "name-not-resolved: no such host"):
        shown.on_exchange(RecordedExchange("http://a.test/", "GET", 0, UrlOutcome.FAILED, reason, 0))
    notes = [line for line in said.getvalue().splitlines() if line.startswith("failed")]
    assert notes == [
        "failed: http://a.test/ (forbidden-address: 10.0.0.1 is not a public address; --private lets clients go there)",
        "failed: http://a.test/ (name-not-resolved: no such host)",
    ]
