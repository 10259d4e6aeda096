"""The two tiers of a crawl: which pages a browser has to run, and in which order, decided by what it found out about
others that are built alike; and how many of those left out are audited.

Theory of operation. Pages that run the same scripts and are built alike form a group. On each of them scripts can find
certain things, its hooks. A sample that is run and requests nothing that was not known already is clean, and so are its
hooks; hooks that were met on surprising samples alone are suspect. A page is left to the fast tier when enough samples
of its group were run and all its hooks are clean, and is run while one of them is suspect or unknown. So a group is
divided where its pages behave differently, as far as anything in them shows it. What a page asks for by a pattern that
was learned from others (`request_patterns`) is no surprise, and is told of the pages that are left out. Where a page
surprises though all its hooks were clean, nothing tells: then all of its group is run. Of the pages that were left out
a small share is run as well, which finds such groups and bounds what was missed.

Seeds are what a person named: they are run themselves, and first, whatever others show. A browser may have less time
than there are pages to run. So the group whose pages have brought most so far comes first, and before it groups of
which nothing is known.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import nsmallest
from zlib import crc32

from webkeep.change.detection import jaccard_similarity
from webkeep.document import PageTemplate, PageValue, TemplateHook
from webkeep.frontier.browser_tiers.confidence_bound import upper_bound_of_share
from webkeep.frontier.browser_tiers.request_patterns import RequestPatterns

MIN_CLEAN_SAMPLES = 2
"""So many clean samples a group must have before any page of it is left out."""
PAGES_PER_AUDIT = 50
"""Of so many pages that were left out, one is run all the same."""
_MIN_AUDITED_PAGES = 8
"""A group with fewer pages left out is not audited for its own sake."""
_MIN_SIMILARITY = 0.6
"""Pages whose structures are at least so similar are of one group."""
_MAX_HOOK_VALUES = 8
"""A place with more different values in one group tells nothing of its pages."""


@dataclass(slots=True)
class _HookClass:
    """Pages of a group that have the same hooks."""

    waiting: list[str] = field(default_factory=list)
    running: int = 0


@dataclass(slots=True)
class _Group:
    """Pages that run the same scripts and are built alike."""

    structure: frozenset[int]
    hook_classes: dict[frozenset[TemplateHook], _HookClass] = field(default_factory=lambda: defaultdict(_HookClass))
    values: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ignored_places: set[str] = field(default_factory=set)
    """Places whose content is another on every page, and tells nothing."""
    clean: set[TemplateHook] = field(default_factory=set)
    suspect: set[TemplateHook] = field(default_factory=set)
    samples: int = 0
    """Clean ones."""
    is_mixed: bool = False
    audits: int = 0
    run: int = 0
    """Pages that were run, and below, what they asked for that nothing had led to."""
    brought: int = 0
    patterns: RequestPatterns = field(default_factory=RequestPatterns)

    @property
    def is_running(self) -> bool:
        """Whether pages of it are being run."""
        return any(kind.running for kind in self.hook_classes.values())

    def reduce_hooks(self, hooks: frozenset[TemplateHook]) -> frozenset[TemplateHook]:
        """Hooks without what is another on every page."""
        return (
            frozenset((place, "" if place in self.ignored_places else value) for place, value in hooks)
            if self.ignored_places
            else hooks
        )


@dataclass(frozen=True, slots=True)
class PageRunResult:
    """What came of running a page."""

    fresh: frozenset[str] = frozenset()
    """What it asked for though nothing had led to it."""
    asked: frozenset[str] = frozenset()
    """All that it asked for."""
    values: Sequence[PageValue] = ()
    """The values that it holds."""
    is_odd: bool = False
    """Whether it brought anything else that was not known, such as links, or could not be run."""


RequestPredictor = Callable[[Sequence[PageValue]], set[str]]
"""Says what a page with these values will ask for."""


def _predict_requests(
    patterns: RequestPatterns, hooks: frozenset[TemplateHook], values: Sequence[PageValue]
) -> set[str]:
    return patterns.predict_requests(values, hooks)


@dataclass(frozen=True, slots=True)
class TierReport:
    """What was run, what was left out, and what that can have missed."""

    pages: int
    groups: int
    run: int
    surprising: int
    """Pages that requested something that was not known before."""
    skipped: int
    audited: int
    missed: int
    """Audited pages that requested something unknown."""
    upper_bound: float
    """With 95% confidence, no larger share of the pages that were left out would have."""


class BrowserTiers:
    """Decides which pages a browser runs, and in which order; pages are entered as they are stored."""

    def __init__(self, leaves_out: bool = True) -> None:
        """Where nothing is to be left out, only the order is decided."""
        self._leaves_out = leaves_out
        self._groups: dict[frozenset[str], list[_Group]] = defaultdict(list)
        self._running: dict[str, tuple[_Group, frozenset[TemplateHook]]] = {}
        self._audits: set[str] = set()
        self._due: list[tuple[_Group, frozenset[TemplateHook], str]] = []
        self._open: dict[int, _Group] = {}
        """Groups with pages to be run, as far as is known."""
        self._predicted: set[str] = set()
        self._seeds: set[str] = set()
        self._waiting_seeds: deque[tuple[_Group, frozenset[TemplateHook], str]] = deque()
        """Seeds that are to be run."""
        self._pages = self._run = self._surprising = self._audited = self._missed = self._brought = 0

    def add_page(self, page: str, template: PageTemplate, is_seed: bool = False) -> None:
        """Take in a page that was stored; a seed is run in any case."""
        group = self._group_of(template)
        for place, value in template.hooks:
            group.values[place].add(value)
            if len(group.values[place]) > _MAX_HOOK_VALUES and place not in group.ignored_places:
                self._ignore_place(group, place)
        hooks = group.reduce_hooks(template.hooks)
        group.hook_classes[hooks].waiting.append(page)
        self._open[id(group)] = group
        self._pages += 1
        if is_seed:
            self._seeds.add(page)
            self._waiting_seeds.append((group, hooks, page))

    def next_page(self) -> str | None:
        """A page to be run now; None where none needs it, or what is under way has to end first.

        When all that need it were run, some of those that were left out are given as well.
        """
        if (seed := self._next_seed()) is not None:
            return seed
        for group in sorted(self._open.values(), key=self._expected_yield, reverse=True):
            page = self._next_in_group(group)
            if page is not None:
                return page
            if not group.is_running:
                del self._open[id(group)]
        # What is left out is known only when no sample is under way that could show otherwise.
        return self._next_audit() if len(self._running) == len(self._audits) else None

    def _next_seed(self) -> str | None:
        while self._waiting_seeds:
            group, hooks, page = self._waiting_seeds.popleft()
            if page in group.hook_classes[group.reduce_hooks(hooks)].waiting:
                self._take(group, group.reduce_hooks(hooks), page)
                return page
        return None

    def _expected_yield(self, group: _Group) -> tuple[bool, float]:
        """How much the next page of a group can be expected to bring; more than any other where nothing is known."""
        if group.run:
            return False, group.brought / group.run
        return not group.is_running, self._brought / self._run if self._run else 0.0

    def _next_audit(self) -> str | None:
        """A page that was left out and is run all the same; None where enough of them were."""
        if not self._due:
            for group in self._all_groups():
                self._draw_audits(group)
        while self._due:
            group, hooks, page = self._due.pop()
            if page in group.hook_classes[group.reduce_hooks(hooks)].waiting:
                self._take(group, hooks, page)
                self._audits.add(page)
                return page
        return None

    def _draw_audits(self, group: _Group) -> None:
        """Draw pages of a group that are run though they were left out; all are equally likely."""
        left = [(hooks, page) for hooks, kind in group.hook_classes.items() for page in kind.waiting]
        known = len(left) + group.audits
        wanted = (
            known // PAGES_PER_AUDIT if known >= PAGES_PER_AUDIT else int(known >= _MIN_AUDITED_PAGES)
        ) - group.audits
        if wanted > 0:
            group.audits += wanted
            drawn = nsmallest(wanted, left, key=lambda each: crc32(each[1].encode("utf-8", "replace")))
            self._due += [(group, hooks, page) for hooks, page in drawn]

    def record_run(self, page: str, found: PageRunResult) -> None:
        """Learn from a page that was run."""
        group, hooks = self._running.pop(page)
        hooks = group.reduce_hooks(hooks)
        told = group.patterns.predict_requests(found.values, hooks)
        surprised = found.is_odd or not found.fresh <= told
        group.patterns.learn(found.values, hooks, found.fresh, found.asked)
        group.hook_classes[hooks].running -= 1
        group.run += 1
        group.brought += len(found.fresh)
        self._run += 1
        self._brought += len(found.fresh)
        self._surprising += surprised
        if page in self._audits:
            self._audits.discard(page)
            self._audited += 1
            self._missed += surprised
        if not surprised:
            group.samples += 1
            group.clean |= hooks
            group.suspect -= hooks
        else:
            fresh = hooks - group.clean
            group.suspect |= fresh
            group.is_mixed = group.is_mixed or (not fresh and group.samples >= MIN_CLEAN_SAMPLES)
        self._open[id(group)] = group

    def put_back(self, page: str) -> None:
        """Put back a page that could not be run to its end."""
        group, hooks = self._running.pop(page)
        if page in self._audits:
            self._audits.discard(page)
            group.audits -= 1
        kind = group.hook_classes[group.reduce_hooks(hooks)]
        kind.running -= 1
        kind.waiting.append(page)
        self._open[id(group)] = group
        if page in self._seeds:
            self._waiting_seeds.append((group, hooks, page))

    def skipped_pages(self) -> Iterator[str]:
        """The pages that are left out, as things stand."""
        for group in self._all_groups():
            for kind in group.hook_classes.values():
                yield from kind.waiting

    def undecided_count(self) -> int:
        """How many pages wait of which it is not known that they may be left out."""
        return sum(
            len(kind.waiting)
            for group in self._all_groups()
            for hooks, kind in group.hook_classes.items()
            if not self._is_left_out(group, hooks)
        ) + sum(self._is_left_out(group, group.reduce_hooks(hooks)) for group, hooks, _ in self._waiting_seeds)

    @staticmethod
    def _is_left_out(group: _Group, hooks: frozenset[TemplateHook]) -> bool:
        """Whether enough was seen to leave out pages of these hooks."""
        return (
            not group.is_mixed
            and group.samples >= MIN_CLEAN_SAMPLES
            and hooks <= group.clean
            and group.suspect.isdisjoint(hooks)
        )

    def predictable_pages(self) -> list[tuple[str, RequestPredictor]]:
        """Pages that were left out and will ask for things that can be told; each is given once."""
        found: list[tuple[str, RequestPredictor]] = []
        for group in self._all_groups():
            if group.patterns.has_confirmed:
                for hooks, kind in group.hook_classes.items():
                    teller = partial(_predict_requests, group.patterns, hooks)
                    fresh = [page for page in kind.waiting if page not in self._predicted]
                    self._predicted.update(fresh)
                    found += [(page, teller) for page in fresh]
        return found

    def report(self) -> TierReport:
        """What was decided so far."""
        skipped = sum(1 for _ in self.skipped_pages()) - self.undecided_count()
        bound = upper_bound_of_share(self._missed, self._audited) if skipped else 0.0
        groups = sum(1 for _ in self._all_groups())
        return TierReport(self._pages, groups, self._run, self._surprising, skipped, self._audited, self._missed, bound)

    def _all_groups(self) -> Iterator[_Group]:
        for groups in self._groups.values():
            yield from groups

    def _group_of(self, template: PageTemplate) -> _Group:
        groups = self._groups[template.scripts]
        for group in groups:
            if jaccard_similarity(group.structure, template.structure) >= _MIN_SIMILARITY:
                return group
        groups.append(_Group(template.structure, is_mixed=not self._leaves_out))
        return groups[-1]

    def _ignore_place(self, group: _Group, place: str) -> None:
        """What stands at a place tells nothing: pages that differ in it alone are of one kind."""
        group.ignored_places.add(place)
        group.clean = {(each, "" if each == place else value) for each, value in group.clean}
        group.suspect = {(each, "" if each == place else value) for each, value in group.suspect} - group.clean
        kinds: dict[frozenset[TemplateHook], _HookClass] = defaultdict(_HookClass)
        for hooks, kind in group.hook_classes.items():
            merged = kinds[group.reduce_hooks(hooks)]
            merged.waiting += kind.waiting
            merged.running += kind.running
        group.hook_classes = kinds

    def _next_in_group(self, group: _Group) -> str | None:
        tried = {hook for hooks, kind in group.hook_classes.items() if kind.running for hook in hooks}
        running = sum(kind.running for kind in group.hook_classes.values())
        for hooks, kind in group.hook_classes.items():
            if not kind.waiting:
                continue
            if group.is_mixed or not group.suspect.isdisjoint(hooks):
                return self._take_newest(group, hooks)
            if not hooks <= group.clean and (not running or not hooks - group.clean <= tried):
                return self._take_newest(group, hooks)
            if group.samples + running < MIN_CLEAN_SAMPLES:
                return self._take_newest(group, hooks)
        return None

    def _take_newest(self, group: _Group, hooks: frozenset[TemplateHook]) -> str:
        page = group.hook_classes[hooks].waiting[-1]
        self._take(group, hooks, page)
        return page

    def _take(self, group: _Group, hooks: frozenset[TemplateHook], page: str) -> None:
        kind = group.hook_classes[group.reduce_hooks(hooks)]
        if kind.waiting[-1] == page:
            kind.waiting.pop()
        else:
            kind.waiting.remove(page)
        kind.running += 1
        self._running[page] = (group, hooks)
