"""The control addresses of the demo server: the site's truth, the history of changes and the answers served, told as
JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from webkeep.lab.demo.addresses import DemoAddresses
from webkeep.lab.demo.change_truth import category_of_change
from webkeep.lab.demo.demo_site import DemoSite
from webkeep.lab.demo.noise import NoiseSet, noise_kinds
from webkeep.lab.demo.served_log import ServedResponse
from webkeep.lab.demo.site_resource import DemoKind, DemoReach
from webkeep.lab.demo.static_files import CONTROL_PATH
from webkeep.model import Moment

TRUTH_PATH, HISTORY_PATH, SERVED_PATH = (f"{CONTROL_PATH}{name}.json" for name in ("truth", "history", "served"))


def render_truth(site: DemoSite, addresses: DemoAddresses) -> Iterator[bytes]:
    """Every address of the site with its rate, media type and how it can be found."""
    facts = (
        {
            "path": one.path,
            "url": addresses.absolute_url(one.path),
            "host": one.host,
            "kind": one.kind.value,
            "media_type": one.media_type,
            "rate": one.rate,
            "status": one.status,
            "reach": one.reach.value,
            "reachable": one.reach is DemoReach.LINK,
        }
        for one in site.truth()
    )
    plan = {"seed": site.plan.seed, "speed": site.plan.speed, "start": site.start.iso()}
    return _render_list({**plan, "start_micros": site.start.micros}, "resources", facts)


def render_history(site: DemoSite, now: Moment, query: Mapping[str, str]) -> Iterator[bytes]:
    """The changes of every address up to now in microseconds, or those of `?path=` alone."""
    wanted = query.get("path")
    paths = [path for path in site.resources if wanted in {None, path}]
    facts = (_history_of(site, path, now) for path in paths)
    head = {"start": site.start.iso(), "start_micros": site.start.micros, "until": now.iso()}
    return _render_list({**head, "until_micros": now.micros}, "history", facts)


def _history_of(site: DemoSite, path: str, now: Moment) -> dict[str, object]:
    changes = [moment.micros for moment in site.changes_until(path, now)]
    if site.plan.noise is NoiseSet.OFF:
        return {"path": path, "changes": changes}
    # What each change is hangs on what pages say, which takes time to write: only where changes are of several kinds.
    categories = [category_of_change(site, path, version, version + 1) for version in range(len(changes))]
    noise = noise_kinds(site.plan.noise, site.plan.seed, path) if site.resources[path].kind is DemoKind.PAGE else ()
    return {"path": path, "changes": changes, "categories": categories, "noise": list(noise)}


def render_served(served: Iterable[ServedResponse], count: int) -> Iterator[bytes]:
    """Every answer still kept, oldest first; `count` is how many there were in all."""
    return _render_list({"requests": count}, "served", (one.facts() for one in served))


def _render_list(head: Mapping[str, object], name: str, facts: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    """One JSON object with the facts as a list in it, a line each, made as it is read."""
    yield json.dumps(head)[:-1].encode() + f', "{name}": ['.encode()
    between = "\n"
    for one in facts:
        yield (between + json.dumps(one, ensure_ascii=False)).encode()
        between = ",\n"
    yield b"\n]}\n"
