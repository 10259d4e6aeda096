"""The functions of webkeep for asyncio: the same names and options, as coroutines and asynchronous context managers.

Theory of operation. The work is done by the same functions, in a thread of its own for each call, so that the loop goes
on. Callbacks are called in the loop, in the order in which things happen; the work waits for each, and an exception in
one ends the work. A task that is cancelled has the work come to a clean end first: what was acknowledged is on disk,
and a capture or a recovery goes on with the next call. Cancelled once more, it lets go of what is under way.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from webkeep.process import StopSwitch, start_work

_Options = ParamSpec("_Options")
_Result = TypeVar("_Result")

_CALLBACK_PREFIX = "on_"
"""How the names begin of options that are functions to be called."""
_COROUTINES = (
    "capture",
    "certify",
    "check",
    "copy",
    "diff",
    "evidence",
    "export",
    "import_files",
    "mirror",
    "mirror_page",
    "recover",
    "remove",
    "report",
    "report_states",
    "stamp",
    "survey",
    "update",
    "verify",
    "verify_package",
)
_CONTEXTS = ("record", "serve")

__all__ = [
    *_COROUTINES,
    *_CONTEXTS,
]


def as_coroutine(function: Callable[_Options, _Result]) -> Callable[_Options, Coroutine[Any, Any, _Result]]:
    """A function that does its work in a thread, to be awaited."""

    @wraps(function)
    async def call(*args: _Options.args, **kwargs: _Options.kwargs) -> _Result:
        return await _await_work(function, args, kwargs)

    return call


def as_async_context(
    function: Callable[_Options, AbstractContextManager[_Result]],
) -> Callable[_Options, AbstractAsyncContextManager[_Result]]:
    """A function whose context is entered and left in a thread, while the loop goes on."""

    @wraps(function)
    @asynccontextmanager
    async def call(*args: _Options.args, **kwargs: _Options.kwargs) -> AsyncIterator[_Result]:
        context = await _await_work(function, args, kwargs, _leave)
        try:
            yield context.__enter__()
        finally:
            await _await_work(_leave, (context,), {})

    return call


def _leave(context: AbstractContextManager[Any]) -> None:
    context.__exit__(None, None, None)


async def _await_work(
    function: Callable[..., _Result],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    undo: Callable[[_Result], object] = lambda _: None,
) -> _Result:
    """Do work in a thread; what it gives is undone where nobody waits for it any more."""
    loop, switch = asyncio.get_running_loop(), StopSwitch()
    for name, value in kwargs.items():
        if name.startswith(_CALLBACK_PREFIX) and callable(value):
            kwargs[name] = _call_in_loop(value, loop)
    done = asyncio.wrap_future(start_work(lambda: function(*args, **kwargs), switch))
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        if done.cancelled():
            raise
        await _stop_work(done, switch)
        if done.exception() is None:
            await _await_work(undo, (done.result(),), {})
        raise


async def _stop_work(done: asyncio.Future[Any], switch: StopSwitch) -> None:
    """Have work come to its end, however often the waiting for it is cancelled; each time it lets go of more."""
    switch.press()
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            switch.press()


def _call_in_loop(callback: Callable[[Any], object], loop: asyncio.AbstractEventLoop) -> Callable[[Any], object]:
    """The same function, to be called from another thread, that waits for what it gives."""

    def call(value: object) -> object:
        told: Future[object] = Future()

        async def call_and_tell() -> None:
            try:
                given = callback(value)
                told.set_result(await given if inspect.isawaitable(given) else given)
            except BaseException as error:  # noqa: BLE001 - raised where the work is
                told.set_exception(error)

        asyncio.run_coroutine_threadsafe(call_and_tell(), loop)
        return told.result()

    return call


if TYPE_CHECKING:
    from webkeep import api

    capture = as_coroutine(api.capture)
    certify = as_coroutine(api.certify)
    check = as_coroutine(api.check)
    copy = as_coroutine(api.copy)
    diff = as_coroutine(api.diff)
    evidence = as_coroutine(api.evidence)
    export = as_coroutine(api.export)
    import_files = as_coroutine(api.import_files)
    mirror = as_coroutine(api.mirror)
    mirror_page = as_coroutine(api.mirror_page)
    record = as_async_context(api.record)
    recover = as_coroutine(api.recover)
    remove = as_coroutine(api.remove)
    report = as_coroutine(api.report)
    report_states = as_coroutine(api.report_states)
    serve = as_async_context(api.serve)
    stamp = as_coroutine(api.stamp)
    survey = as_coroutine(api.survey)
    update = as_coroutine(api.update)
    verify = as_coroutine(api.verify)
    verify_package = as_coroutine(api.verify_package)
else:

    def __getattr__(name: str) -> object:
        """Make a function when it is first asked for, so that nothing else is loaded."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from webkeep import api

        made = (as_coroutine if name in _COROUTINES else as_async_context)(getattr(api, name))
        globals()[name] = made
        return made

    def __dir__() -> list[str]:
        """Exactly what is offered."""
        return sorted(__all__)
