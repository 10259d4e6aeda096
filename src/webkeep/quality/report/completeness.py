"""What a capture has of what it came across: fates, and failures by status, host, type, cause, depth, age and top-level
domain.

A failure is a URL that was wanted and is not held as it should be: no answer, an error status, or left out by a trap or
a limit. What robots.txt or the scope shut out is told apart, for nobody failed there; and so is what was left out with
nothing lost, such as an address that was asked for, with another session id in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from webkeep.formats.status import GONE_STATUSES, is_error, reason_phrase
from webkeep.frontier.traps import TrapKind
from webkeep.model import Fate, UrlOutcome
from webkeep.quality.report.capture_series import CaptureSeries, SeriesCapture
from webkeep.quality.report.crawl_forest import CrawlForest, ForestMark
from webkeep.quality.report.url_course import ResourceGroup, UrlCourse, guess_group, resource_group
from webkeep.store.archive import Archive
from webkeep.store.views import count_fates, read_unstored_fates
from webkeep.url import registrable_domain
from webkeep.url.canonical import drop_path_session_ids, is_sure_session_parameter
from webkeep.url.scope import OUTSIDE_REASON

_MAX_VALUES = 20_000
"""Values of one dimension, such as hosts, that are counted one by one."""
OTHER_VALUES = "others"
_MAX_LISTED_FAILURES = 200
"""Failures that are listed by name; `webkeep list --fates` has all."""
_MAX_REASONS = 200
"""Shapes of traps, limits, and hosts to be named, that are told apart."""
_HELD_OUTCOMES = frozenset({UrlOutcome.STORED, UrlOutcome.DUPLICATE})
_UNWANTED_OUTCOMES = frozenset({UrlOutcome.OUT_OF_SCOPE, UrlOutcome.REFUSED, UrlOutcome.TAKEN_DOWN})
"""What somebody ruled out: no failure, and told apart."""
_FAILED_OUTCOMES = frozenset(UrlOutcome) - _HELD_OUTCOMES - _UNWANTED_OUTCOMES
_NEEDLESS_TRAPS = frozenset({TrapKind.SESSION, TrapKind.PERMUTATION, TrapKind.GUESS})
"""What is left out with nothing lost: other spellings of addresses that were asked for, and what only looks like a link
where such guesses went wrong."""
_UNKNOWN_AGE = "first seen in this capture"
_AGES = (("under a day", 86_400), ("under a week", 604_800), ("under a month", 2_629_800), ("under a year", 31_557_600))
_ASKED_FOR_ROBOTS = re.compile(r",? asking for robots\.txt$")
"""How a reason ends where robots.txt was asked for first and nobody answered: what failed stands before it."""
UNKNOWN_NAME = "name not found"
"""The cause of what failed as there is no host of that name."""
_CAUSES = (
    ("robots.txt", re.compile(r"robots\.txt|\(rules unknown\)", re.IGNORECASE)),
    (UNKNOWN_NAME, re.compile(r"resolv|no such host|unknown host|name", re.IGNORECASE)),
    ("timeout", re.compile(r"timed? ?out|timeout|too slow|seconds", re.IGNORECASE)),
    ("TLS", re.compile(r"\btls\b|\bssl\b|certificate", re.IGNORECASE)),
    ("turned away", re.compile(r"turned requests away|asked to wait", re.IGNORECASE)),
    ("connection", re.compile(r"connect|reset|refused|unreachable|not reached|closed", re.IGNORECASE)),
    ("broken answer", re.compile(r"malformed|broken|coding|truncat|cut off|incomplete|protocol", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class FailureRow:
    """How many URLs share something, and how many of them failed."""

    value: str
    urls: int
    failed: int

    @property
    def share(self) -> float:
        """The share that failed."""
        return self.failed / self.urls if self.urls else 0.0


@dataclass(frozen=True, slots=True)
class FailedUrl:
    """A URL that was wanted and is not held, and why."""

    url: str
    cause: str
    detail: str
    via: str


@dataclass(frozen=True, slots=True)
class CompletenessFigures:
    """What a capture has of what it came across."""

    urls: int = 0
    """Wanted: asked for, or left out by a trap or a limit; not `needless`."""
    held: int = 0
    """Answered with what was asked for, or with where it is."""
    failed: int = 0
    gone: int = 0
    """Failures whose server says that there is no such page; the site's own broken links."""
    fates: Mapping[str, int] | None = None
    """Every URL by what became of it; None where the capture noted no fates."""
    by: Mapping[str, tuple[FailureRow, ...]] | None = None
    """Failures by dimension: status, host, type, cause, depth, age, top-level domain."""
    listed: tuple[FailedUrl, ...] = ()
    traps: Mapping[str, int] = field(default_factory=dict)
    """Wanted URLs left out as traps, by kind and shape."""
    needless: Mapping[str, int] = field(default_factory=dict)
    """URLs left out as traps with nothing lost, by kind and shape."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """URLs left out by limits, by which limit."""
    neighbours: Mapping[str, int] = field(default_factory=dict)
    """URLs out of scope on other hosts of the domains that seeds are of, by host."""
    unknown_hosts: Mapping[str, int] = field(default_factory=dict)
    """URLs on hosts of which nothing came, as there is none of that name; by host."""

    @property
    def missing(self) -> int:
        """Wanted URLs that are there, as far as servers tell, and are not held."""
        return self.failed - self.gone

    @property
    def existing(self) -> int:
        """Wanted URLs that are there, as far as servers tell: no capture can hold the others."""
        return self.urls - self.gone

    @property
    def share(self) -> float | None:
        """The share of them that is held; None where there are none."""
        return self.held / self.existing if self.existing else None


class CompletenessSurvey:
    """Counts what became of the URLs of a capture, one at a time."""

    def __init__(self, archive: Archive, series: CaptureSeries) -> None:
        self._archive = archive
        self._place = len(series.captures) - 1
        self._subject = series.subject
        self._before = series.captures[-2] if len(series.captures) > 1 else None
        self._rows: dict[str, dict[str, list[int]]] = {}
        self._urls = self._failed = self._gone = 0
        self._seen_before = [0, 0, 0]
        """URLs that the capture before saw, those that failed there, and those of them that were gone."""
        self._listed: list[FailedUrl] = []
        self._traps: Counter[str] = Counter()
        self._needless: Counter[str] = Counter()
        self._limits: Counter[str] = Counter()
        self._neighbours: Counter[str] = Counter()
        self._unknown_hosts: Counter[str] = Counter()
        seeds = {host_of(seed) for seed in self._subject.seeds} if self._subject else set()
        self._seed_hosts = frozenset(host.partition(":")[0] for host in seeds)
        self._seed_domains = tuple({domain for host in self._seed_hosts if (domain := registrable_domain(host))})

    def add(self, course: UrlCourse) -> bool | None:
        """Count a URL that was seen; whether it failed, None where this capture did not see it."""
        before = course.last.get(self._place - 1)
        if before is not None:
            failed_before = is_error(before.status)
            for at, counts in enumerate((True, failed_before, failed_before and before.status in GONE_STATUSES)):
                self._seen_before[at] += counts
        look = course.last.get(self._place)
        if look is None:
            return None
        failed = is_error(look.status)
        # What says that a picture failed is a page.
        group = guess_group(course.url) if failed else resource_group(look.status, look.media_type)
        status = "no status" if look.status is None else f"{look.status} {reason_phrase(look.status)}".strip()
        cause = f"status {look.status}" if failed else ""
        self._count(course.url, failed, cause, group)
        self._count_value("status", status, failed)
        self._count_value("age", _age_name(look.micros - course.looks[0].micros), failed)
        self._gone += failed and look.status in GONE_STATUSES
        if failed:
            self._list(FailedUrl(course.url, cause, status, look.via))
        return failed

    def add_depths(self, forest: CrawlForest) -> None:
        """Count what was seen by how many steps led to it."""
        for depth, mark in forest.marked_depths():
            if mark is not ForestMark.UNSEEN:
                self._count_value("depth", str(depth), mark is ForestMark.FAILED)

    def add_unstored(self, forest: CrawlForest) -> None:
        """Count what was not stored, by the fates that the capture noted."""
        if self._subject is None or not self._subject.id:
            return
        for fate in read_unstored_fates(self._archive, self._subject.id):
            if fate.outcome is UrlOutcome.OUT_OF_SCOPE and fate.reason == OUTSIDE_REASON:
                self._count_neighbour(host_of(fate.url).partition(":")[0])
            if fate.outcome not in _FAILED_OUTCOMES:
                continue
            if _is_needless(fate):
                _count_bounded(self._needless, fate.reason)
                continue
            cause = failure_cause(fate)
            if cause == UNKNOWN_NAME:
                _count_bounded(self._unknown_hosts, host_of(fate.url))
            self._count_reason(fate)
            self._count(fate.url, failed=True, cause=cause, group=guess_group(fate.url))
            depth = forest.depth_of(fate.via) if fate.via else None
            if depth is not None:
                self._count_value("depth", str(depth + 1), failed=True)
            self._count_value("status", "no answer", failed=True)
            self._list(FailedUrl(fate.url, cause, fate.reason, fate.via))

    def _count_reason(self, fate: Fate) -> None:
        counts = {UrlOutcome.TRAPPED: self._traps, UrlOutcome.CUT: self._limits}.get(fate.outcome)
        if counts is not None:
            _count_bounded(counts, fate.reason)

    def _count_neighbour(self, host: str) -> None:
        is_near = any(host == domain or host.endswith(f".{domain}") for domain in self._seed_domains)
        if is_near and host not in self._seed_hosts:
            _count_bounded(self._neighbours, host)

    def _list(self, failure: FailedUrl) -> None:
        if len(self._listed) < _MAX_LISTED_FAILURES:
            self._listed.append(failure)

    def _count(self, url: str, failed: bool, cause: str, group: ResourceGroup) -> None:
        self._urls += 1
        self._failed += failed
        host = host_of(url)
        self._count_value("host", host, failed)
        self._count_value("domain", _top_level_domain(host), failed)
        self._count_value("type", str(group), failed)
        if cause:
            self._count_value("cause", cause, failed)

    def _count_value(self, dimension: str, value: str, failed: bool) -> None:
        rows = self._rows.setdefault(dimension, {})
        name = value if value in rows or len(rows) < _MAX_VALUES else OTHER_VALUES
        row = rows.setdefault(name, [0, 0])
        row[0] += 1
        row[1] += failed

    @property
    def has_no_fates(self) -> bool:
        """Whether nobody noted what became of URLs."""
        return not self._fate_counts(self._subject)

    def figures_before(self) -> CompletenessFigures:
        """The totals of the capture before, by the same rules."""
        fates = self._fate_counts(self._before)
        missed = sum(count for name, count in fates.items() if name in _FAILED_OUTCOMES)
        if self._before is not None and UrlOutcome.TRAPPED in fates:
            missed -= sum(map(_is_needless, read_unstored_fates(self._archive, self._before.id)))
        seen, errors, gone = self._seen_before
        return CompletenessFigures(seen + missed, seen - errors, errors + missed, gone, fates=fates or None)

    def _fate_counts(self, capture: SeriesCapture | None) -> dict[str, int]:
        return count_fates(self._archive, capture.id) if capture is not None and capture.id else {}

    def figures(self) -> CompletenessFigures:
        """What all of it comes to."""
        by = {
            dimension: tuple(
                sorted(
                    (FailureRow(value, *row) for value, row in rows.items()),
                    key=lambda each: _row_order(dimension, each),
                )
            )
            for dimension, rows in self._rows.items()
        }
        noted = self._fate_counts(self._subject) or None
        return CompletenessFigures(
            self._urls,
            self._urls - self._failed,
            self._failed,
            self._gone,
            noted,
            by,
            tuple(self._listed),
            dict(self._traps.most_common()),
            dict(self._needless.most_common()),
            dict(self._limits.most_common()),
            dict(self._neighbours.most_common()),
            dict(self._unknown_hosts.most_common()),
        )


def _count_bounded(counts: Counter[str], value: str) -> None:
    """Count a value, where there are not too many already."""
    if value in counts or len(counts) < _MAX_REASONS:
        counts[value] += 1


def _is_needless(fate: Fate) -> bool:
    kind = _trap_kind(fate)
    if fate.outcome is not UrlOutcome.TRAPPED or kind not in _NEEDLESS_TRAPS:
        return False
    return kind != TrapKind.SESSION or _has_sure_session(fate.url)


def _has_sure_session(url: str) -> bool:
    """Whether there is a session in it for sure, and not what may as well be the number of a story that is missing."""
    path, _, query = url.partition("?")
    return drop_path_session_ids(path) != path or any(map(is_sure_session_parameter, query.split("&")))


def _trap_kind(fate: Fate) -> str:
    return fate.reason.partition(":")[0]


def failure_cause(fate: Fate) -> str:
    """A short name for why a URL is not held."""
    if fate.outcome is UrlOutcome.TRAPPED:
        return f"trap: {_trap_kind(fate)}"[:80]
    if fate.outcome in (UrlOutcome.CUT, UrlOutcome.QUEUED):
        return "limit" if fate.outcome is UrlOutcome.CUT else "not asked for yet"
    reason = _ASKED_FOR_ROBOTS.sub("", fate.reason)
    return next((name for name, pattern in _CAUSES if pattern.search(reason)), "other failure")


def host_of(url: str) -> str:
    """The host of a URL with its port, by its spelling alone."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]


def _top_level_domain(host: str) -> str:
    name = host.partition(":")[0]
    domain = registrable_domain(name)
    return f".{domain.partition('.')[2]}" if domain and "." in domain else "addresses and local names"


def _age_name(micros: int) -> str:
    """How long a URL has been known, in words."""
    seconds = micros / 1e6
    if seconds <= 0:
        return _UNKNOWN_AGE
    return next((name for name, most in _AGES if seconds < most), "a year or more")


def _row_order(dimension: str, row: FailureRow) -> tuple[float, float, str]:
    """Depths by number, all else by how many failed."""
    if dimension == "depth":
        return float(row.value) if row.value.isdecimal() else float("inf"), 0.0, row.value
    return -float(row.failed), -float(row.urls), row.value
