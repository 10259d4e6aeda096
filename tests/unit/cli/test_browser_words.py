"""What is said of pages that were left out of the browser."""

import pytest

from webkeep.cli.capture_run import describe_audit
from webkeep.frontier.browser_tiers import TierReport
from webkeep.frontier.browser_tiers.confidence_bound import upper_bound_of_share


def report(audited: int, missed: int) -> TierReport:
    return TierReport(900, 5, 60, 3, 840, audited, missed, upper_bound_of_share(missed, audited))


@pytest.mark.parametrize(
    ("audited", "missed", "words"),
    [
        (0, 0, "none such was run to see whether that holds"),
        (1, 0, "1 such page run as a check loaded nothing new either, which is too few to tell of the others"),
        (24, 0, "24 such pages run as a check loaded nothing new either, so with 95% confidence at most 11.7%"),
        (24, 2, "of 24 such pages run as a check 2 loaded something new, so with 95% confidence at most"),
    ],
)
def test_a_bound_is_told_only_where_something_was_learned(audited: int, missed: int, words: str) -> None:
    assert describe_audit(report(audited, missed)).startswith(words)
