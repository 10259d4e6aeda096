"""What a person sees of a capture while it runs."""

import io

from webkeep.cli.capture_board import Board
from webkeep.cli.output import Output
from webkeep.crawl.watching import Glance
from webkeep.frontier.candidate import Candidate, Role
from webkeep.model import Moment, Outcome


def board() -> tuple[Board, io.StringIO]:
    said = io.StringIO()
    board = Board(Output(as_json=False, out=io.StringIO(), err=said))
    board._pause = 0.0
    return board, said


def test_a_count_says_by_whom() -> None:
    shown, said = board()
    shown.glanced(Glance(Moment(10**15), {Outcome.STORED: 3, Outcome.REFUSED: 5, Outcome.QUEUED: 2}, 1000, 0, False))
    assert "3 stored, 5 refused by robots.txt, 2 still queued" in said.getvalue()
    assert "URLs a second" in said.getvalue()


def test_a_host_where_nobody_listens_is_told_at_once_and_once() -> None:
    shown, said = board()
    robots = Candidate(1, "http://a.test:81/robots.txt", "a.test:81", Role.ROBOTS)
    for _ in range(3):
        shown.settled(robots, Outcome.FAILED, "cannot-connect: Failed to connect", 0)
    assert said.getvalue() == "a.test:81: nobody listens there; it is asked again a few times\n"
