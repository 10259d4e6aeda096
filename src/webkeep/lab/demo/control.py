"""The control addresses: the site's truth, told as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from webkeep.lab.demo.addresses import Addresses
from webkeep.lab.demo.files import CONTROL
from webkeep.lab.demo.resource import Reach
from webkeep.lab.demo.served import Served
from webkeep.lab.demo.site import DemoSite
from webkeep.model import Moment

TRUTH, HISTORY, SERVED = (f"{CONTROL}{name}.json" for name in ("truth", "history", "served"))


def truth_json(site: DemoSite, addresses: Addresses) -> Iterator[bytes]:
    """Every address of the site with its rate, media type and how it can be found."""
    facts = (
        {
            "path": one.path,
            "url": addresses.absolute(one.path),
            "host": one.host,
            "kind": one.kind.value,
            "media_type": one.media_type,
            "rate": one.rate,
            "status": one.status,
            "reach": one.reach.value,
            "reachable": one.reach is Reach.LINK,
        }
        for one in site.truth()
    )
    plan = {"seed": site.plan.seed, "speed": site.plan.speed, "start": site.start.iso()}
    return _listed({**plan, "start_micros": site.start.micros}, "resources", facts)


def history_json(site: DemoSite, now: Moment, query: Mapping[str, str]) -> Iterator[bytes]:
    """The changes of every address up to now in microseconds, or those of `?path=` alone."""
    wanted = query.get("path")
    paths = [path for path in site.resources if wanted in {None, path}]
    facts = ({"path": path, "changes": [moment.micros for moment in site.history(path, now)]} for path in paths)
    head = {"start": site.start.iso(), "start_micros": site.start.micros, "until": now.iso()}
    return _listed({**head, "until_micros": now.micros}, "history", facts)


def served_json(served: Iterable[Served], count: int) -> Iterator[bytes]:
    """Every answer still kept, oldest first; `count` is how many there were in all."""
    return _listed({"requests": count}, "served", (one.facts() for one in served))


def _listed(head: Mapping[str, object], name: str, facts: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    """One JSON object with the facts as a list in it, a line each, made as it is read."""
    yield json.dumps(head)[:-1].encode() + f', "{name}": ['.encode()
    between = "\n"
    for one in facts:
        yield (between + json.dumps(one, ensure_ascii=False)).encode()
        between = ",\n"
    yield b"\n]}\n"
