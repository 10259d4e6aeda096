"""What to do next: the plan of the capture with what would make the next one better, each line with its reason and
what it is expected to gain, as a plan file that `webkeep capture --plan` takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from webkeep.document import PlaceholderSuspicion
from webkeep.formats import read_json, render_toml_value
from webkeep.frontier.traps import rule_text
from webkeep.presentation import escape_controls, format_count, format_share
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.url import first_directory

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
_CALM_RESOURCES = 50
"""Resources of a directory that never changed, from which on it is named."""
_FIGURE_WORDS = {
    "failed": "URLs that failed",
    "placeholders": "pages that are walls or errors",
    "hungry": "pages whose scripts did not run",
    "revisited": "URLs looked at twice",
}
"""What figures of proposed settings are called where people read them."""
_EXCLUDED_WALLS = frozenset({PlaceholderSuspicion.SOFT_404, PlaceholderSuspicion.LOGIN, PlaceholderSuspicion.PARKED})


@dataclass(frozen=True, slots=True)
class ProposedSetting:
    """A line of a plan, why it is there, and what it is expected to gain."""

    name: str
    """As plan files have it."""
    value: PlanValue
    reason: str
    figure: str
    """The figure that is expected to become another: failed, placeholders, hungry or revisited."""
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
    return NextCapture(carried, settings, (*notes, *_notes(report)))


def _plain_setting(name: str, value: object) -> PlanValue | None:
    if name not in _CARRIED_NAMES:
        return None
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return None


def _propose_settings(report: ArchiveReport, plan: Mapping[str, PlanValue]) -> Iterator[ProposedSetting]:
    yield from _exclude_traps(report)
    yield from _exclude_walls(report)
    yield from _slow_down(report, plan)
    yield from _raise_limits(report, plan)
    yield from _try_again(report, plan)
    yield from _run_pages(report, plan)
    yield from _look_twice(report, plan)


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


def _notes(report: ArchiveReport) -> Iterator[str]:
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
        names = ", ".join(sorted({first_directory(each.url) for each in consent})[:3])
        yield f"Pages that ask for consent stand before {names}; webkeep login lets a person answer them."
    if report.completeness.gone:
        yield f"{report.completeness.gone:,} links of the site lead to what is not there; no capture can mend that."


def _count_causes(report: ArchiveReport, causes: frozenset[str]) -> int:
    rows = (report.completeness.by or {}).get("cause", ())
    return sum(row.failed for row in rows if row.value in causes)


def render_plan_file(proposal: NextCapture, made: str) -> str:
    """The proposal as a plan in TOML, every line with its reason and its gain."""
    replaced = {each.name for each in proposal.settings if each.name != "exclude"}
    lines = [f"# Proposed by webkeep report on {made}.", "# webkeep capture --plan THIS --into ARCHIVE", ""]
    lines += [_comment(each) for each in proposal.notes]
    for name, value in proposal.carried.items():
        spelled = name.replace("_", "-")
        if spelled not in replaced and spelled != "rules":
            lines.append(f"{spelled} = {render_toml_value(value)}")
    for each in proposal.settings:
        if each.name != "exclude":
            lines += ["", _reason_lines(each), f"{each.name} = {render_toml_value(each.value)}"]
    lines += _render_rules(proposal)
    return "\n".join(lines) + "\n"


def _render_rules(proposal: NextCapture) -> list[str]:
    """The rules as they were, and the new ones behind them: the last that holds decides."""
    old = proposal.carried.get("rules", ())
    rules = [f"    {render_toml_value(each)}," for each in old] if isinstance(old, tuple) else []
    for each in proposal.settings:
        if each.name == "exclude" and isinstance(each.value, tuple):
            rules += [f"    {line}" for line in _reason_lines(each).split("\n")]
            rules += [f"    {render_toml_value('-' + text)}," for text in each.value]
    return ["", "rules = [", *rules, "]"] if rules else []


def _reason_lines(setting: ProposedSetting) -> str:
    return "\n".join((_comment(setting.reason), _comment(describe_gain(setting))))


def describe_gain(setting: ProposedSetting) -> str:
    """What a setting is expected to gain."""
    return f"expected: {_FIGURE_WORDS.get(setting.figure, setting.figure)} {setting.now:,} -> {setting.expected:,}"


def _comment(text: str) -> str:
    return f"# {escape_controls(text)}"
