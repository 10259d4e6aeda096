"""Workers of a pool that end, hang, find no room or are no longer wanted; where they run is this test's own."""

from dataclasses import dataclass, field

from webkeep.cluster.pool.worker_pool import WorkerLook, WorkerPool
from webkeep.cluster.pool.worker_scaling import PoolBounds
from webkeep.cluster.store.cluster_load import ClusterLoad
from webkeep.errors import StorageError


@dataclass
class Seat:
    """A worker that does what the test says."""

    now: WorkerLook = field(default_factory=lambda: WorkerLook(True))
    was_told: list[str] = field(default_factory=list)

    def look(self) -> WorkerLook:
        return self.now

    def stop(self) -> None:
        self.was_told.append("stop")

    def kill(self) -> None:
        self.was_told.append("kill")


@dataclass
class Seats:
    """Where they run."""

    launched: list[tuple[int, Seat]] = field(default_factory=list)
    is_full: bool = False

    def launch(self, number: int) -> Seat:
        if self.is_full:
            raise StorageError("no room")
        self.launched.append((number, Seat()))
        return self.launched[-1][1]

    def numbers(self) -> list[int]:
        return [number for number, _ in self.launched]


def make_pool(seats: Seats, notes: list[str], most: int = 3) -> WorkerPool:
    return WorkerPool("postgresql:///nowhere", seats, PoolBounds(1, most, 10), notes.append)


def load_of(hosts: int, *workers: str, is_running: bool = True) -> ClusterLoad:
    return ClusterLoad(is_running, hosts, 0, 0, frozenset(workers))


def test_who_ends_too_early_is_started_again_later_and_later() -> None:
    seats, notes = Seats(), []
    pool = make_pool(seats, notes, 1)
    pool.step(load_of(5), 0.0)
    for moment, starts in ((1.0, 1), (2.5, 2), (3.5, 2), (6.5, 3)):
        seats.launched[-1][1].now = WorkerLook(True, True, "the disk is full")
        pool.step(load_of(5), moment)
        assert len(seats.launched) == starts, moment
    assert pool.counts.replaced == 2
    assert set(notes) == {"worker-1 ended: the disk is full; it is started again where it is needed"}


def test_who_is_not_heard_of_is_ended_and_another_one_started() -> None:
    seats, notes = Seats(), []
    pool = make_pool(seats, notes)
    pool.step(load_of(5), 0.0)
    pool.step(load_of(5, "worker-1"), 20.0)
    pool.step(load_of(5), 49.0)
    assert seats.launched[0][1].was_told == []
    pool.step(load_of(5), 51.0)
    assert seats.launched[0][1].was_told == ["kill"]
    pool.step(load_of(5), 52.5)
    assert pool.counts.started == 2


def test_nobody_counts_as_silent_while_the_database_is_gone_or_the_capture_pauses() -> None:
    seats, notes = Seats(), []
    pool = make_pool(seats, notes)
    pool.step(load_of(5), 0.0)
    for moment in range(1, 200, 10):
        pool.step(None if moment % 20 == 1 else load_of(5, is_running=False), float(moment))
    assert seats.launched[0][1].was_told == []
    assert pool.counts.started == 1


def test_each_site_has_a_worker_and_none_is_told_to_leave_in_the_middle_of_one() -> None:
    seats, notes = Seats(), []
    pool = make_pool(seats, notes)
    pool.step(ClusterLoad(True, 0, 0, 2, frozenset()), 0.0)
    assert seats.numbers() == [1, 2]
    names = frozenset({"worker-1", "worker-2"})
    for moment in range(1, 40):
        for _, seat in seats.launched:
            seat.now = WorkerLook(True, processor_seconds=0.1 * moment)
        pool.step(ClusterLoad(True, 0, 0, 1, names), float(moment))
    assert [seat.was_told for _, seat in seats.launched] == [[], []]
    assert notes == []


def test_the_one_with_least_to_do_leaves_and_its_number_is_given_again() -> None:
    seats, notes = Seats(), []
    pool = make_pool(seats, notes)
    pool.step(load_of(25), 0.0)
    assert seats.numbers() == [1, 2, 3]
    names = [f"worker-{number}" for number in seats.numbers()]
    for moment in range(1, 20):
        for share, (_, seat) in zip((0.2, 0.0, 0.1), seats.launched, strict=True):
            seat.now = WorkerLook(True, processor_seconds=share * moment)
        pool.step(load_of(15, *names), float(moment))
    assert [seat.was_told for _, seat in seats.launched] == [[], ["stop"], []]
    seats.launched[1][1].now = WorkerLook(True, True)
    pool.step(load_of(30, "worker-1", "worker-3"), 21.0)
    assert seats.numbers() == [1, 2, 3, 2]
    assert notes == ["worker-2 leaves, as 2 workers can do what there is"]


def test_it_is_said_once_that_there_is_no_room() -> None:
    seats, notes = Seats(), []
    pool = make_pool(seats, notes)
    pool.step(load_of(25), 0.0)
    for _, seat in seats.launched:
        seat.now = WorkerLook(False)
    for moment in (10.0, 31.0, 40.0):
        pool.step(load_of(25), moment)
    assert notes == ["there is no room for another worker; add machines, or ask for fewer with --workers"]


def test_what_cannot_be_started_is_tried_again_after_a_minute() -> None:
    seats, notes = Seats(is_full=True), []
    pool = make_pool(seats, notes, 1)
    for moment in (0.0, 1.0, 59.0):
        pool.step(load_of(5), moment)
    assert notes == ["worker-1 cannot be started: no room"]
    seats.is_full = False
    pool.step(load_of(5), 61.0)
    assert pool.counts.started == 1
