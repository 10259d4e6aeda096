"""Trying interactions and having what they came to confirmed, with one tab at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from webkeep.browser.book import Book, Finding, Place
from webkeep.browser.failures import PageGone, ProcessGone
from webkeep.browser.interactions import Candidate
from webkeep.browser.portrait import portrait
from webkeep.browser.rehearsing import Scene
from webkeep.browser.resources import resource_of
from webkeep.browser.rig import Outcome, Rig, Standing
from webkeep.browser.sampling import Yields, samples
from webkeep.browser.values import Happenings, Interaction, Limits, Trouble

_AHEAD = 200
"""How many elements are got hold of before the first of them is used."""


class Survey:
    """What is known, what is to be confirmed, and what has to be repeated alone."""

    def __init__(self, book: Book, limits: Limits, is_over: Callable[[], bool]) -> None:
        self._book, self._limits, self._is_over = book, limits, is_over
        self.yields = Yields()
        self.pending: list[Place] = []
        """Views with findings that are to be confirmed."""
        self.found: list[Place] = []
        """Views entered since the last pass began."""
        self.again: list[Finding] = []
        """Findings that came to different things in different company."""
        self.dependent: list[Finding] = []
        """Findings that asked for more in company than alone."""
        self.unconfirmed: list[Finding] = []
        """Findings for whose second run there was no budget left."""
        self.troubles: list[Trouble] = []
        self._suspects: set[tuple[int, Interaction]] = set()
        """What was done when a page's process ended, and is done once more to know whether that was why."""
        self.tried = self.left = 0

    async def try_all(self, rig: Rig, place: Place, trials: list[Candidate]) -> None:
        """Try interactions of a view, one after the other."""
        if self._is_over() or not await rig.go(place.view.script, place.view.signature):
            self.left += len(trials)
            return
        standing = rig.here()
        await rig.reach(each.interaction for each in trials[:_AHEAD])
        for candidate in trials:
            if self._is_full() or self.yields.is_spent(candidate) or not await self._returns(rig, place, standing):
                self.left += 1
            else:
                standing = rig.here()
                await self._try(rig, place, candidate, is_only=len(trials) == 1)

    async def _returns(self, rig: Rig, place: Place, standing: Standing) -> bool:
        """Whether the rig stands in a view again, by a new load if the last step cost it the old one."""
        return rig.back(standing) or await rig.go(place.view.script, place.view.signature)

    async def _try(self, rig: Rig, place: Place, candidate: Candidate, is_only: bool) -> None:
        self.tried += 1
        try:
            outcome = await rig.step(candidate.interaction)
            gain = self._book.note(outcome.happenings) if outcome is not None else 0
            if outcome is None or outcome.tree is None:
                self._postpone(rig, place, candidate)
                return
            finding = await self._read(rig, place, candidate, outcome)
        except PageGone as error:
            await rig.renew()
            if self._is_suspected(error, place, candidate):
                await self.try_all(rig, place, [candidate])
                return
            self.troubles.append(Trouble((*place.view.script, candidate.interaction), str(error)))
            return
        self._count(place, finding, gain)
        repeats = place.view.script[-1:] == (candidate.interaction,)
        if repeats and not gain and finding.signature == place.view.signature:
            self._book.confirm(finding)
        elif candidate.is_sampled and not finding.asked and finding.signature == place.view.signature:
            pass  # nothing came of it
        elif finding.is_exact and is_only:
            await self._enter(rig, finding, outcome)
        else:
            self._await(finding)

    def _is_suspected(self, error: PageGone, place: Place, candidate: Candidate) -> bool:
        """Whether a process ended, for the first time that this was done: by another's hand, for all that is known."""
        suspect = place.view.id, candidate.interaction
        if not isinstance(error, ProcessGone) or suspect in self._suspects:
            return False
        self._suspects.add(suspect)
        return True

    def _is_full(self) -> bool:
        """Whether there is no budget for more than confirming what was found."""
        return self._is_over() or len(self._book.portraits) > self._limits.views

    def finish(self) -> None:
        """Enter what could not be confirmed for want of budget, as far as it is known."""
        waiting = [finding for place in self.pending for finding in place.findings]
        for finding in (*waiting, *self.unconfirmed, *self.again):
            if finding.signature:
                self._book.confirm(finding)
            else:
                self.left += 1

    def _await(self, finding: Finding) -> None:
        """Have a finding confirmed by the next pass."""
        if not finding.place.findings:
            self.pending.append(finding.place)
        finding.place.findings.append(finding)

    def _postpone(self, rig: Rig, place: Place, candidate: Candidate) -> None:
        """Have something tried on a load of its own that could not be tried in company."""
        if not rig.was_clean:
            self._await(Finding(place, candidate, "", rig.last_asked, Happenings(), False, rig.chain))

    def _count(self, place: Place, finding: Finding, gain: int) -> None:
        likes = finding.candidate.likes
        effect = finding.signature != place.view.signature or bool(finding.asked)
        self.yields.note(likes, effect, gain, (finding.signature, finding.asked))
        if place.view.script[-1:] == (finding.candidate.interaction,):
            self.yields.note_repeat(likes, gain > 0 or not self._book.holds(finding.signature))

    async def _read(self, rig: Rig, place: Place, candidate: Candidate, outcome: Outcome) -> Finding:
        assert outcome.tree is not None
        mark = rig.signature(outcome.tree)
        # What is seen in company with other views would show these in a picture as well.
        is_depicted = self._limits.screenshots and outcome.is_exact and not self._book.is_depicted(mark)
        picture = await rig.tab.screenshot(self._limits.full_page) if is_depicted else b""
        if mark in self._book.portraits:
            self._book.depict(mark, picture)
        else:
            offered = self._book.portraits[place.view.signature].available
            before = rig.targets, tuple(each.interaction for each in offered)
            heard = await rig.tab.listeners()
            self._book.portraits[mark] = portrait(outcome.tree, heard, self._limits, before, picture)
        asked = frozenset(resource_of(each.url) for each in self._book.own(outcome.happenings))
        seen = outcome.written, outcome.dirt
        return Finding(place, candidate, mark, asked, outcome.happenings, outcome.is_exact, rig.chain, *seen)

    def weight(self, finding: Finding) -> int:
        """How many steps it takes to confirm a finding and to try what its view offers."""
        drawn = self._book.portraits.get(finding.signature)
        return 1 + (len(drawn.fresh) if drawn is not None else 0)

    def scenes(self, level: list[Place]) -> list[Scene]:
        """What is going to be tried in the views that findings lead to, in the order of the second pass."""
        found = []
        for place in reversed(level):
            for finding in reversed(place.findings):
                drawn = self._book.portraits.get(finding.signature)
                if drawn is not None and drawn.fresh and not self._book.holds(finding.signature):
                    trials = [each.interaction for each in self.yields.promising(drawn.fresh)]
                    found.append(Scene((*place.view.script, finding.candidate.interaction), trials))
        return found

    async def confirm_all(self, rig: Rig, place: Place, findings: list[Finding], explores: bool) -> None:
        """Run findings of one load again, those of a kind by samples, and try what can be done where they lead."""
        wanted = [each for each in findings if not self._is_settled(each, explores)]
        chosen, rest = samples(wanted, self._is_final)
        if chosen:
            doubtful = len(self.again)
            await self._confirm_each(rig, place, chosen, explores)
            if rest and len(self.again) > doubtful:
                await self._confirm_each(rig, place, rest, explores)
                rest = []
        for finding in rest:
            self._book.confirm(finding)

    def _is_settled(self, finding: Finding, explores: bool) -> bool:
        """Enter what needs no second run: what was run alone, and leads to nothing more."""
        if finding.is_exact and (not explores or self._book.holds(finding.signature)):
            self._book.confirm(finding)
            return True
        return False

    def _is_final(self, finding: Finding) -> bool:
        """Whether nothing can be done in its view that could not be done before."""
        drawn = self._book.portraits.get(finding.signature)
        return drawn is not None and not drawn.fresh and not finding.is_exact

    async def _confirm_each(self, rig: Rig, place: Place, findings: list[Finding], explores: bool) -> None:
        if self._is_over():
            self.unconfirmed += findings
            return
        if not await rig.go(place.view.script, place.view.signature):
            self.again += findings
            return
        standing = rig.here()
        await rig.reach(each.candidate.interaction for each in findings[:_AHEAD])
        for finding in findings:
            if self._is_over():
                self.unconfirmed.append(finding)
            elif not await self._returns(rig, place, standing):
                self.again.append(finding)
            else:
                standing = rig.here()
                await self._confirm_one(rig, finding, explores)

    async def _confirm_one(self, rig: Rig, finding: Finding, explores: bool) -> None:
        """Run one again; if the page does not survive it, those after it are not to suffer."""
        try:
            await self._confirm(rig, finding, explores)
        except PageGone as error:
            self.troubles.append(Trouble(rig.trail, str(error)))
            await rig.renew()

    async def _confirm(self, rig: Rig, finding: Finding, explores: bool) -> None:
        """Run it again; what it came to holds if it does so in other company, or alone."""
        if not finding.signature:
            self.again.append(finding)
            return
        try:
            outcome = await rig.step(finding.candidate.interaction)
            if outcome is not None:
                self._book.note(outcome.happenings)
            if outcome is None or outcome.tree is None:
                self.again.append(replace(finding, asked=finding.asked | rig.last_asked))
                return
            second = await self._read(rig, finding.place, finding.candidate, outcome)
        except PageGone as error:
            if not self._is_suspected(error, finding.place, finding.candidate):
                raise
            self.again.append(finding)
            await rig.renew()
            return
        mixed = replace(finding, asked=finding.asked | second.asked)
        best = second if second.is_exact else finding
        agree = finding.agrees(second)
        if not agree:
            finding.place.doubt |= finding.written ^ second.written
        if best.is_exact:
            self._note_dependence(mixed, best)
        elif not agree or finding.place.doubt & finding.dirt & second.dirt:
            self.again.append(mixed)
            return
        await self._enter(rig, best, outcome, explores)

    async def alone(self, rig: Rig, finding: Finding, explores: bool) -> None:
        """Run a finding on a load of its own."""
        place, candidate = finding.place, finding.candidate
        if self._is_over():
            self.unconfirmed.append(finding)
            return
        if not await rig.go(place.view.script, place.view.signature, afresh=True):
            self.left += 1
            return
        try:
            outcome = await rig.step(candidate.interaction)
            if outcome is None or outcome.tree is None:
                return
            exact = await self._read(rig, place, candidate, outcome)
        except PageGone as error:
            if not self._is_suspected(error, place, candidate):
                raise
            await rig.renew()
            await self.alone(rig, finding, explores)
            return
        self._book.note(outcome.happenings)
        self._note_dependence(finding, exact)
        await self._enter(rig, exact, outcome, explores)

    def _note_dependence(self, mixed: Finding, exact: Finding) -> None:
        """In company it asked for more than alone: its siblings matter to it."""
        if mixed.asked - exact.asked:
            self.dependent.append(exact)

    async def _enter(self, rig: Rig, finding: Finding, outcome: Outcome, explores: bool = True) -> None:
        """Enter what is certain, and try what a new view offers, standing in it."""
        place, is_new = self._book.confirm(finding)
        if not is_new:
            return
        self.found.append(place)
        if not explores or place.view.depth >= self._limits.depth:
            return
        again = [finding.candidate] if self.yields.takes_repeat(finding.candidate.likes) else []
        trials = [*place.trials, *again]
        if trials and outcome.tree is not None and rig.signature(outcome.tree) == place.view.signature:
            rig.enter(outcome.tree, finding.candidate.interaction)
        if trials:
            await self.try_all(rig, place, trials)
