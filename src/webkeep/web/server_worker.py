"""One process of a server: answers on sockets that it shares with others, until its input ends. It raises its limit of
open files, says when it is ready, and answers as a proxy where one is wanted.

It is a program of its own (`python -m webkeep.web.server_worker`), handed its plan as the first line of its input.
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
from webkeep.replay.endpoints import Router, ServePlan, ServerContext, open_server
from webkeep.replay.server import ProxyListener, proxy_security_rule, serve_connections
from webkeep.web.page_router import ArchivePages


async def _serve(plan: ServePlan, listener: socket.socket, proxy_listener: socket.socket | None) -> None:
    with open_server(plan, ArchivePages) as context:
        proxy = None if proxy_listener is None else _build_proxy(plan, context, proxy_listener)
        # What is there now stays; looking through it again and again would only cost.
        gc.collect()
        gc.freeze()
        site = Router(context)
        async with serve_connections(listener, site.respond, site.locks, proxy=proxy):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def _build_proxy(plan: ServePlan, context: ServerContext, listener: socket.socket) -> ProxyListener:
    # Much is behind these, and few servers are proxies.
    from webkeep.fetch.proxy import CertificateAuthority
    from webkeep.replay.endpoints import ProxyModeHandler

    moment = Moment.parse(plan.proxy_moment) if plan.proxy_moment else None
    authority = CertificateAuthority(Path(plan.authority), context.clock)
    proxy_handler = ProxyModeHandler(context, moment)
    locks = proxy_security_rule(context.server_name, context.other_archives)
    return ProxyListener(listener, proxy_handler.respond, authority.context_for, locks, proxy_handler.refusal)


def _raise_file_limit() -> None:
    """Have as many files open as this system lets: each client takes one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # it stays as it is
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main() -> None:
    """Serve on the descriptors that are named: the server's own, and that of its proxy where there is one."""
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    _raise_file_limit()
    plan = ServePlan.from_json(sys.stdin.readline())
    with ExitStack() as leaving:
        listeners = [leaving.enter_context(socket.socket(fileno=int(number))) for number in sys.argv[1:]]
        for listener in listeners:
            listener.setblocking(False)
        asyncio.run(_serve(plan, listeners[0], listeners[1] if len(listeners) > 1 else None))


if __name__ == "__main__":
    main()
