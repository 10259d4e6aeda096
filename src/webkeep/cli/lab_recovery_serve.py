"""`webkeep lab recovery --serve`: the archives that hold pieces of a lost site, on loopback, for anyone to try."""

from __future__ import annotations

import shlex

from webkeep.cli.measure import counted
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE
from webkeep.cli.until_told import until_told
from webkeep.lab import recovery as lab


def serve(world: lab.World, out: Output) -> int:
    """Serve until told to end, and say how the site can be recovered meanwhile."""
    seed = lab.origin(world)
    with until_told() as told, lab.served(world) as servers:
        names = [server.as_index for server in servers]
        out.event("listening", seed=seed, repositories=names, held=len(world.anywhere))
        out.note(f"{counted(len(world.anywhere), 'resource')} of {seed} in {len(servers)} archives until Ctrl-C; try")
        sources = " ".join(f"--from {shlex.quote(name)}" for name in names)
        out.note(f"  webkeep recover {seed} {sources} --into ARCHIVE")
        told.wait()
        requests = sum(server.requests.total() for server in servers)
    out.summary({"seed": seed, "requests": requests}, f"{counted(requests, 'request')} served")
    return DONE
