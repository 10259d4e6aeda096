"""The switch that stops work of another thread, and work in threads."""

import asyncio
import gc
import signal
import threading

import pytest

from webkeep.process import (
    RunLoop,
    SignalExit,
    StopSwitch,
    WorkStopped,
    call_cleanly,
    current_stop_switch,
    rare_garbage_collection,
    start_work,
    use_stop_switch,
    watch_run,
)


class Endless:
    """A run with nothing to do, until it is stopped."""

    def __init__(self, loop: RunLoop, began: threading.Event) -> None:
        self._loop = loop
        self._began = began

    @property
    def is_over(self) -> bool:
        return self._loop.is_stopping

    def begin_tasks(self) -> float:
        self._began.set()
        return 60.0

    async def settle(self) -> None:
        pass

    async def finish(self) -> None:
        pass


def run_endlessly(began: threading.Event, notes: list[str]) -> str:
    async def run() -> None:
        loop = RunLoop()
        async with watch_run(loop, lambda: 60.0, notes.append):
            await loop.run(Endless(loop, began))

    asyncio.run(run())
    return "ended"


def test_a_run_in_another_thread_is_stopped_by_its_switch() -> None:
    switch, began, notes = StopSwitch(), threading.Event(), list[str]()
    done = start_work(lambda: run_endlessly(began, notes), switch)
    assert began.wait(30)
    switch.press()
    assert done.result(30) == "ended"
    assert notes[0].startswith("stopping: what is under way has")


def test_a_switch_pressed_before_the_run_stops_it_as_it_begins() -> None:
    switch = StopSwitch()
    switch.press()
    assert start_work(lambda: run_endlessly(threading.Event(), []), switch).result(30) == "ended"


def test_everything_within_heeds_the_switch_it_was_given() -> None:
    switch = StopSwitch()
    with use_stop_switch(switch):
        assert current_stop_switch() is switch
        assert call_cleanly(current_stop_switch) is switch
    assert current_stop_switch() is not switch


def test_work_is_called_wherever_a_loop_runs_and_its_error_is_raised() -> None:
    async def call() -> str:
        with pytest.raises(ValueError, match="broken"):
            call_cleanly(lambda: asyncio.run(fail()))
        return call_cleanly(lambda: asyncio.run(answer()))

    async def answer() -> str:
        return "answered"

    async def fail() -> None:
        raise ValueError("broken")

    assert asyncio.run(call()) == call_cleanly(lambda: asyncio.run(answer())) == "answered"


@pytest.mark.parametrize(
    ("number", "kind"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SignalExit), (signal.SIGHUP, SignalExit)]
)
def test_a_signal_is_raised_once_the_work_has_ended(number: signal.Signals, kind: type[BaseException]) -> None:
    ended = []

    def work() -> None:
        began = threading.Event()
        threading.Thread(target=lambda: began.wait(30) and signal.raise_signal(number)).start()
        ended.append(run_endlessly(began, []))

    before = signal.getsignal(number)
    with pytest.raises(kind):
        call_cleanly(work)
    assert ended == ["ended"]
    assert signal.getsignal(number) is before


def test_a_check_between_two_things_ends_work_as_ctrl_c_does() -> None:
    switch = StopSwitch()
    switch.check()
    switch.press()
    with pytest.raises(WorkStopped):
        switch.check()
    assert issubclass(WorkStopped, KeyboardInterrupt)


def test_garbage_is_collected_as_usual_once_nobody_holds_it_back() -> None:
    usual = gc.get_threshold()
    first, second = rare_garbage_collection(), rare_garbage_collection()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() != usual
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual
