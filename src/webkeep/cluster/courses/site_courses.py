"""Which captures go by sites, and which sites: one whose pages are visited again or run in a browser needs one memory
of all pages of a site, so that each site has a course of its own, of one worker.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from webkeep.crawl.plan import BrowserMode, CapturePlan, Subsites, coherent_strategy
from webkeep.url import first_directory, parse_url, registrable_domain
from webkeep.url.scope import ScopeExtent


@dataclass(frozen=True, slots=True)
class SiteCourse:
    """What one worker carries out from beginning to end."""

    number: int
    site: str
    """The registrable domain or the host; with its first directory where parts of a site have courses of their own."""
    seeds: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    """Directories of the site that have courses of their own."""

    def to_text(self) -> str:
        """A course as it lies in the database."""
        return json.dumps({"seeds": self.seeds, "left_out": self.left_out}, ensure_ascii=False)

    @classmethod
    def from_text(cls, number: int, site: str, text: str) -> SiteCourse:
        """A course out of the database."""
        values = json.loads(text)
        return cls(number, site, tuple(values["seeds"]), tuple(values["left_out"]))


def goes_by_sites(plan: CapturePlan) -> bool:
    """Whether a capture goes by sites and not by hosts."""
    return plan.browser is not BrowserMode.OFF or coherent_strategy(plan.strategy) is not None


def split_by_sites(plan: CapturePlan) -> list[SiteCourse]:
    """The courses of a capture: one for each site of its seeds, and with `--subsites directories` for each directory
    that a seed names.
    """
    seeds: dict[str, list[str]] = {}
    for seed in dict.fromkeys(plan.seeds):
        seeds.setdefault(_part_of(seed, plan), []).append(seed)
    courses = []
    for number, (part, mine) in enumerate(seeds.items(), start=1):
        courses.append(SiteCourse(number, part, tuple(mine), tuple(_parts_below(part, mine, seeds))))
    return courses


def course_plan(plan: CapturePlan, course: SiteCourse, capture: str, address: str) -> CapturePlan:
    """The plan of one course: that of the whole for its seeds, taking turns at hosts with all others."""
    rules = tuple(f"-{each}*" for each in course.left_out)
    in_directory = plan.subsites is Subsites.DIRECTORIES and _is_directory(course.site)
    return replace(
        plan,
        seeds=course.seeds,
        scope=ScopeExtent.PREFIX if in_directory else plan.scope,
        rules=(*plan.rules, *rules),
        job=f"{capture}/{course.number}",
        share_hosts=address,
    )


def _part_of(seed: str, plan: CapturePlan) -> str:
    directory = first_directory(seed)
    if plan.subsites is Subsites.DIRECTORIES and _is_directory(directory):
        return directory
    host = parse_url(seed).host
    return registrable_domain(host) or host


def _is_directory(part: str) -> bool:
    """Whether a part is a directory of a site, and not all of it."""
    _, scheme, rest = part.partition("://")
    return bool(scheme) and bool(rest.partition("/")[2])


def _parts_below(part: str, mine: Iterable[str], parts: Iterable[str]) -> list[str]:
    """The directories with courses of their own that lie within the site of a course that is no directory."""
    if _is_directory(part):
        return []
    hosts = {parse_url(seed).host for seed in mine}
    return [each for each in parts if _is_directory(each) and parse_url(each).host in hosts]
