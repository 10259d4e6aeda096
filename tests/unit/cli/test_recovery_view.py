"""What a person is told while a recovery runs."""

import io

import pytest

from webkeep.cli.output.console import Output
from webkeep.cli.progress.recovery_view import RecoveryProgressView
from webkeep.recover.run import RecoveryProgress


def line_of(recovered: int, missing: int, queued: int) -> str:
    said = io.StringIO()
    view = RecoveryProgressView(Output(False, io.StringIO(), said))
    return view._progress_line(RecoveryProgress(recovered, missing, queued, 0, 0))


@pytest.mark.parametrize("queued", [0, 7])
def test_of_nothing_no_share_is_told(queued: int) -> None:
    """Before anything came back or is known to be missing, or where nobody answers."""
    assert "%" not in line_of(0, 0, queued)
    assert "known" not in line_of(0, 0, queued)
    assert RecoveryProgress(0, 0, queued, 0, 0).share_done == 0.0


def test_a_share_is_that_of_all_that_is_known() -> None:
    assert "80.0% of what is known" in line_of(3, 1, 1)
    assert "100.0% of what is known" in line_of(3, 1, 0)
