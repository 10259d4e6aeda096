"""What to do next: the plan of the capture with what would make the next one better, each line with its reason and
what it is expected to gain, as a plan file that `webkeep capture --plan` takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from webkeep.change.detection import ChangeCategory
from webkeep.document import PlaceholderSuspicion
from webkeep.formats import read_json
from webkeep.frontier.traps import rule_text
from webkeep.presentation import format_count, format_share
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.url import registrable_domain
from webkeep.url.scope import ScopeExtent

PlanValue = str | float | bool | tuple[str, ...]

_CARRIED_NAMES = frozenset(
    [
        "scope",
        "requisites",
        "depth",
        "external_depth",
        "max_urls",
        "max_bytes",
        "max_seconds",
        "max_urls_per_host",
        "max_size",
        "strategy",
        "subsites",
        "sitemaps",
        "conditional",
        "delay",
        "connections",
        "connections_per_host",
        "timeout",
        "retries",
        "robots",
        "requisites_exempt",
        "trap_budget",
        "probe",
        "user_agent",
        "contact",
        "resolve",
        "insecure",
        "http2",
        "ipv6",
        "redact",
        "browser",
        "states",
        "screenshots",
        "full_page",
        "tabs",
        "page_seconds",
        "page_states",
        "page_requests",
        "browser_seconds",
        "browser_states",
        "browser_requests",
        "rules",
    ]
)
"""Settings of a plan that are written as they were; others are named in a comment."""
_MAX_EXCLUSIONS = 50
"""Traps and walls that get a rule of their own."""
_LIMIT_FACTOR = 2
"""By how much a limit is raised beyond what it left out."""
_LEAST_DELAY_SECONDS = 1.0
"""What servers that nobody complains of are given by default."""
_RETRIES = 6
"""Twice the default, for servers that fail now and then."""
_PASSING_SHARE = 0.5
"""Of failures that may pass, the share that further tries are expected to bring back."""
_THROTTLED_CAUSES = frozenset({"turned away", "status 429", "status 503"})
_PASSING_CAUSES = frozenset({"timeout", "connection", "broken answer", "status 500", "status 502", "status 504"})
_HOT_SHARE = 0.05
"""The share of resources that change between captures from which on their time matters."""
_FEW_NEIGHBOURS = 10
"""URLs on other hosts that are no part of a site yet: a link to the shop, one to the mail."""
_MAX_NAMED_PAGES = 3
"""Pages that a note names."""
_CALM_RESOURCES = 50
"""Resources of a directory that never changed, from which on it is named."""
_EXCLUDED_WALLS = frozenset({PlaceholderSuspicion.SOFT_404, PlaceholderSuspicion.LOGIN, PlaceholderSuspicion.PARKED})


@dataclass(frozen=True, slots=True)
class ProposedSetting:
    """A line of a plan, why it is there, and what it is expected to gain."""

    name: str
    """As plan files have it."""
    value: PlanValue
    reason: str
    figure: str
    """The figure that is expected to become another: failed, placeholders, hungry, revisited or neighbours."""
    now: int
    expected: int


@dataclass(frozen=True, slots=True)
class NextCapture:
    """What to do next."""

    carried: Mapping[str, PlanValue]
    """Settings of the capture that stay as they were."""
    settings: tuple[ProposedSetting, ...] = ()
    notes: tuple[str, ...] = ()
    """What a person has to decide."""


def propose_next_capture(report: ArchiveReport) -> NextCapture | None:
    """The plan of the next capture; None where the capture was none of a site."""
    subject = report.series.subject
    if subject is None or not subject.seeds:
        return None
    told = read_json(subject.plan) if subject.plan else {}
    plan = told if isinstance(told, dict) else {}
    carried: dict[str, PlanValue] = {"seeds": tuple(subject.seeds)}
    left = []
    for name, value in plan.items():
        plain = _plain_setting(name, value)
        if plain is not None:
            carried[name] = plain
        elif name != "seeds":
            left.append(name.replace("_", "-"))
    notes = [f"Not written down here, give it again if it is wanted: {', '.join(sorted(left))}."] if left else []
    settings = tuple(_propose_settings(report, carried))
    return NextCapture(carried, settings, (*notes, *_notes(report, carried)))


def _plain_setting(name: str, value: object) -> PlanValue | None:
    if name not in _CARRIED_NAMES:
        return None
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return None


def _propose_settings(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    yield from _widen_scope(report, plan)
    yield from _exclude_traps(report)
    yield from _exclude_walls(report)
    yield from _slow_down(report, plan)
    yield from _raise_limits(report, plan)
    yield from _try_again(report, plan)
    yield from _run_pages(report, plan)
    yield from _look_twice(report, plan)


def _widen_scope(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    """Where a whole domain is captured by one of its hosts, its others belong to the site."""
    neighbours = report.completeness.neighbours
    left_out = sum(neighbours.values())
    if left_out < _least_neighbours(report) or not _is_wide(plan) or not _begins_at_domain(plan):
        return
    names = ", ".join(list(neighbours)[:3])
    hosts = format_count(len(neighbours), "other host")
    why = f"{format_count(left_out, 'URL')} on {hosts} of the domain were known and left out ({names})"
    yield ProposedSetting("scope", str(ScopeExtent.DOMAIN), why, "neighbours", left_out, 0)


def _least_neighbours(report: ArchiveReport) -> int:
    """URLs on other hosts from which on they are a part of the site, and not a link or two."""
    return max(_FEW_NEIGHBOURS, round(_HOT_SHARE * report.completeness.held))


def _is_wide(plan: Mapping[str, PlanValue]) -> bool:
    """Whether a capture goes for whole hosts: by its scope, or as its seeds are the roots of theirs."""
    seeds = plan.get("seeds")
    roots = isinstance(seeds, tuple) and all(urlsplit(seed).path in ("", "/") for seed in seeds)
    extent = plan.get("scope", ScopeExtent.PREFIX)
    return extent == ScopeExtent.HOST or (extent == ScopeExtent.PREFIX and roots)


def _begins_at_domain(plan: Mapping[str, PlanValue]) -> bool:
    """Whether seeds are of the main hosts of their domains: one department's is no reason to capture a university."""
    seeds = plan.get("seeds")
    hosts = {urlsplit(seed).hostname or "" for seed in seeds} if isinstance(seeds, tuple) else set()
    return bool(hosts) and all(registrable_domain(host) == host.removeprefix("www.") for host in hosts)


def _exclude_traps(report: ArchiveReport) -> Iterator[ProposedSetting]:
    traps = report.completeness.traps
    failed = report.completeness.failed
    for reason, count in list(traps.items())[:_MAX_EXCLUSIONS]:
        kind, _, shape = reason.partition(": ")
        rule = rule_text(shape)
        if shape and "/" in rule.strip("*/"):
            why = f"a crawler trap ({kind}): {format_count(count, 'URL')} of this shape were left out"
            yield ProposedSetting("exclude", (rule,), why, "failed", failed, failed - count)


def _exclude_walls(report: ArchiveReport) -> Iterator[ProposedSetting]:
    walls = [each for each in report.damage.placeholders if each.suspicion in _EXCLUDED_WALLS]
    now = len(report.damage.placeholders)
    for wall in walls[:_MAX_EXCLUSIONS]:
        why = f"it holds {wall.suspicion.value} and no page; webkeep login can show a page behind a login"
        if wall.suspicion is not PlaceholderSuspicion.LOGIN:
            why = f"it holds {wall.suspicion.value} and no page"
        yield ProposedSetting("exclude", (wall.url,), why, "placeholders", now, now - 1)


def _slow_down(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    """Servers that turn requests away, or show walls to robots, are asked less often."""
    throttled = _count_causes(report, _THROTTLED_CAUSES)
    walls = sum(each.suspicion is PlaceholderSuspicion.BOT_WALL for each in report.damage.placeholders)
    if not throttled and not walls:
        return
    before = plan.get("delay")
    delay = max(2 * before if isinstance(before, int | float) else 0.0, _LEAST_DELAY_SECONDS)
    failed, held = report.completeness.failed, len(report.damage.placeholders)
    if throttled:
        why = f"{format_count(throttled, 'request')} were turned away (429, 503): ask less often"
        yield ProposedSetting("delay", delay, why, "failed", failed, failed - throttled)
    else:
        why = f"{format_count(walls, 'page')} held a wall against robots: ask less often"
        yield ProposedSetting("delay", delay, why, "placeholders", held, held - walls)


def _raise_limits(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    failed = report.completeness.failed
    for name in ("max_urls", "max_urls_per_host", "depth"):
        limit = plan.get(name)
        spelled = name.replace("_", "-")
        cut = sum(count for reason, count in report.completeness.limits.items() if reason.startswith((spelled, name)))
        if cut and isinstance(limit, int):
            value = limit + 1 if name == "depth" else limit + _LIMIT_FACTOR * cut
            why = f"the limit of {limit:,} left out {format_count(cut, 'URL')} that were known"
            yield ProposedSetting(spelled, value, why, "failed", failed, failed - cut)


def _try_again(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    passing = _count_causes(report, _PASSING_CAUSES)
    if passing and int(float(str(plan.get("retries", 3)))) < _RETRIES:
        failed = report.completeness.failed
        why = f"{format_count(passing, 'URL')} failed in a way that may pass (timeouts, connections, 5xx)"
        yield ProposedSetting("retries", _RETRIES, why, "failed", failed, failed - round(passing * _PASSING_SHARE))


def _run_pages(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    hungry = len(report.damage.hungry)
    if hungry and plan.get("browser") == "off":
        why = f"{format_count(hungry, 'page')} show little until their scripts have run, and no browser ran them"
        yield ProposedSetting("browser", "auto", why, "hungry", hungry, 0)


def _look_twice(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    """Where much changes while it is captured, a second look says what fits together."""
    pseudo = report.coherence.pseudo
    changed = (pseudo.change_that_matters if pseudo is not None else None) or 0.0
    if changed < _HOT_SHARE or report.coherence.revisited or "strategy" in plan:
        return
    held = report.completeness.held
    why = (
        f"{format_share(changed)} of what the capture before held changed in what matters: look at everything twice, "
        "hot spots last"
    )
    yield ProposedSetting("strategy", "sharc-selective", why, "revisited", 0, held)
    hot = [each for each in report.directories if each.changed]
    whole = sum(each.resources for each in report.directories)
    if len(hot) > 1 and 2 * sum(each.resources for each in hot) < whole:
        names = ", ".join(each.directory for each in hot[:3])
        count = format_count(len(hot), "directory", "directories")
        why = f"changes lie in {count} ({names}): make each coherent by itself"
        yield ProposedSetting("subsites", "directories", why, "revisited", 0, held)


def _notes(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[str]:
    figures = report.coherence
    differing = sum(each.category is not ChangeCategory.INSIGNIFICANT for each in figures.incoherent)
    if "strategy" in plan and "subsites" not in plan and differing > _HOT_SHARE * figures.revisited:
        yield (
            f"{format_count(differing, 'resource')} changed in what matters between two looks of the capture; "
            'subsites = "directories" looks at parts one after the other, so that each is more coherent in itself, and '
            "the whole is not."
        )
    neighbours = report.completeness.neighbours
    if neighbours and plan.get("scope") != ScopeExtent.DOMAIN and not any(_widen_scope(report, plan)):
        yield (
            f"{format_count(sum(neighbours.values()), 'URL')} on other hosts of the domain are known and out of scope "
            f'({_name_hosts(neighbours)}); scope = "domain" takes them in.'
        )
    unknown = report.completeness.unknown_hosts
    if unknown:
        yield (
            f"{format_count(sum(unknown.values()), 'URL')} are on hosts that have no address ({_name_hosts(unknown)}); "
            "no capture can have them unless that changes."
        )
    calm = [
        each for each in report.directories if each.resources >= _CALM_RESOURCES and each.compared and not each.changed
    ]
    for each in calm[:5]:
        yield (
            f"{each.directory} ({each.resources:,} resources) did not change in the whole series in what matters; "
            "captures of it may be rarer than of the rest."
        )
    consent = [each for each in report.damage.placeholders if each.suspicion is PlaceholderSuspicion.CONSENT]
    if consent:
        more = f" and {len(consent) - _MAX_NAMED_PAGES:,} more" if len(consent) > _MAX_NAMED_PAGES else ""
        names = ", ".join(each.url for each in consent[:_MAX_NAMED_PAGES])
        yield f"Held is what asks for consent, and no page, of {names}{more}; webkeep login lets a person answer it."
    gone = report.completeness.gone
    if gone:
        links = "One link of the site leads" if gone == 1 else f"{gone:,} links of the site lead"
        yield f"{links} to what is not there; no capture can mend that."


def _name_hosts(hosts: Mapping[str, int]) -> str:
    names = ", ".join(list(hosts)[:3])
    return names if len(hosts) <= 3 else f"{names} and {len(hosts) - 3:,} more"


def _count_causes(report: ArchiveReport, causes: frozenset[str]) -> int:
    rows = (report.completeness.by or {}).get("cause", ())
    return sum(row.failed for row in rows if row.value in causes)
