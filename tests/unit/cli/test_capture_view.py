"""What a person sees of a capture while it runs."""

import io

from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.crawl.run import CaptureProgress
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import Moment, UrlOutcome


def board() -> tuple[CaptureProgressView, io.StringIO]:
    said = io.StringIO()
    return CaptureProgressView(Output(as_json=False, out=io.StringIO(), err=said), interval_seconds=0.0), said


def test_a_count_says_by_whom() -> None:
    shown, said = board()
    shown.on_progress(
        CaptureProgress(
            Moment(10**15), {UrlOutcome.STORED: 3, UrlOutcome.REFUSED: 5, UrlOutcome.QUEUED: 2}, 1000, 0, False
        )
    )
    assert "3 stored, 5 refused by robots.txt, 2 still queued" in said.getvalue()
    assert "URLs a second" in said.getvalue()


def test_a_host_where_nobody_listens_is_told_at_once_and_once() -> None:
    shown, said = board()
    robots = Candidate(1, "http://a.test:81/robots.txt", "a.test:81", UrlRole.ROBOTS)
    for _ in range(3):
        shown.on_settled(robots, UrlOutcome.FAILED, "cannot-connect: Failed to connect", 0)
    assert said.getvalue() == "a.test:81: nobody listens there; it is asked again a few times\n"
