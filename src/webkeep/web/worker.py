"""One process of a server: answers on a socket that it shares with others, until its input ends.

It is a program of its own (`python -m webkeep.web.worker`), handed its plan as the first line of its input.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import resource
import socket
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

from webkeep.model import Moment
from webkeep.replay.context import Context
from webkeep.replay.locks import proxy_locks
from webkeep.replay.opening import opened
from webkeep.replay.plan import ServePlan
from webkeep.replay.server import serving
from webkeep.replay.site import Site
from webkeep.replay.tunnels import ProxyDoor
from webkeep.web.pages import ArchivePages


async def _serve(plan: ServePlan, listener: socket.socket, proxy_listener: socket.socket | None) -> None:
    with opened(plan, ArchivePages) as context:
        proxy = None if proxy_listener is None else _proxy(plan, context, proxy_listener)
        # What is there now stays; looking through it again and again would only cost.
        gc.collect()
        gc.freeze()
        site = Site(context)
        async with serving(listener, site.answer, site.locks, proxy=proxy):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def _proxy(plan: ServePlan, context: Context, listener: socket.socket) -> ProxyDoor:
    # Much is behind these, and few servers are proxies.
    from webkeep.fetch.recording import Authority
    from webkeep.replay.proxying import Proxying

    moment = Moment.parse(plan.proxy_moment) if plan.proxy_moment else None
    authority = Authority(Path(plan.authority), context.clock)
    proxying = Proxying(context, moment)
    locks = proxy_locks(context.front, context.elsewhere)
    return ProxyDoor(listener, proxying.answer, authority.context, locks, proxying.refusal)


def _make_room() -> None:
    """Have as many files open as this system lets: each client takes one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # it stays as it is
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main() -> None:
    """Serve on the descriptors that are named: the server's own, and that of its proxy where there is one."""
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    _make_room()
    plan = ServePlan.from_json(sys.stdin.readline())
    with ExitStack() as leaving:
        listeners = [leaving.enter_context(socket.socket(fileno=int(number))) for number in sys.argv[1:]]
        for listener in listeners:
            listener.setblocking(False)
        asyncio.run(_serve(plan, listeners[0], listeners[1] if len(listeners) > 1 else None))


if __name__ == "__main__":
    main()
