"""Trying interactions, and having what they came to confirmed in other company or on a load of its own, with one tab at
a time; what is made of those that a page did not survive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from webkeep.browser.process.browser_errors import PageGone, ProcessGone
from webkeep.browser.resource_identity import resource_url
from webkeep.browser.walk.interaction_candidates import InteractionCandidate
from webkeep.browser.walk.page_session import PageSession, RestorePoint, StepOutcome
from webkeep.browser.walk.rehearsal import RehearsalScene
from webkeep.browser.walk.trial_sampling import InteractionYields, choose_samples
from webkeep.browser.walk.view_graph import TrialResult, ViewGraph, ViewNode
from webkeep.browser.walk.view_snapshot import take_snapshot
from webkeep.browser.walk_model import FatalInteraction, Interaction, SideEffects, WalkLimits

_PREFETCHED_NODES = 200
"""How many elements are got hold of before the first of them is used."""


class WalkSurvey:
    """What is known, what is to be confirmed, and what has to be repeated alone."""

    def __init__(self, graph: ViewGraph, limits: WalkLimits, is_over: Callable[[], bool]) -> None:
        self._graph, self._limits, self._is_over = graph, limits, is_over
        self.yields = InteractionYields()
        self.pending: list[ViewNode] = []
        """Views with findings that are to be confirmed."""
        self.entered: list[ViewNode] = []
        """Views entered since the last pass began."""
        self.retried: list[TrialResult] = []
        """Findings that came to different things in different company."""
        self.dependent: list[TrialResult] = []
        """Findings that asked for more in company than alone."""
        self.unconfirmed: list[TrialResult] = []
        """Findings for whose second run there was no budget left."""
        self.troubles: list[FatalInteraction] = []
        self._suspects: set[tuple[int, Interaction]] = set()
        """What was done when a page's process ended, and is done once more to know whether that was why."""
        self.tried = self.untried = 0

    async def try_candidates(self, session: PageSession, place: ViewNode, trials: list[InteractionCandidate]) -> None:
        """Try interactions of a view, one after the other."""
        if self._is_over() or not await session.go_to_view(place.view.script, place.view.signature):
            self.untried += len(trials)
            return
        restore_point = session.save_point()
        await session.resolve_targets(each.interaction for each in trials[:_PREFETCHED_NODES])
        for candidate in trials:
            if (
                self._is_view_limit_reached()
                or self.yields.is_exhausted(candidate)
                or not await self._return_to_view(session, place, restore_point)
            ):
                self.untried += 1
            else:
                restore_point = session.save_point()
                await self._try_candidate(session, place, candidate, is_only=len(trials) == 1)

    def take_pending(self) -> list[ViewNode]:
        """The places whose findings are to be confirmed; there are none then."""
        taken, self.pending = self.pending, []
        return taken

    def begin_confirming(self) -> None:
        """Forget what came of confirming the level before."""
        self.entered, self.retried, self.dependent = [], [], []

    def take_retried(self) -> list[TrialResult]:
        """The findings that are to be run once more, alone; there are none then."""
        taken, self.retried = self.retried, []
        return taken

    async def _return_to_view(self, session: PageSession, place: ViewNode, restore_point: RestorePoint) -> bool:
        """Whether the session stands in a view again, by a new load if the last step cost it the old one."""
        return session.return_to(restore_point) or await session.go_to_view(place.view.script, place.view.signature)

    async def _try_candidate(
        self, session: PageSession, place: ViewNode, candidate: InteractionCandidate, is_only: bool
    ) -> None:
        self.tried += 1
        try:
            outcome = await session.run_step(candidate.interaction)
            gain = self._graph.note_requests(outcome.effects) if outcome is not None else 0
            if outcome is None or outcome.tree is None:
                self._retry_alone(session, place, candidate)
                return
            finding = await self._read_result(session, place, candidate, outcome)
        except PageGone as error:
            await session.renew_tab()
            if self._is_first_suspicion(error, place, candidate):
                await self.try_candidates(session, place, [candidate])
                return
            self.troubles.append(FatalInteraction((*place.view.script, candidate.interaction), str(error)))
            return
        self._count_yield(place, finding, gain)
        repeats = place.view.script[-1:] == (candidate.interaction,)
        if repeats and not gain and finding.signature == place.view.signature:
            self._graph.confirm_result(finding)
        elif candidate.is_sampled and not finding.asked and finding.signature == place.view.signature:
            pass  # nothing came of it
        elif finding.is_exact and is_only:
            await self._enter_view(session, finding, outcome)
        else:
            self._queue_confirmation(finding)

    def _is_first_suspicion(self, error: PageGone, place: ViewNode, candidate: InteractionCandidate) -> bool:
        """Whether a process ended, for the first time that this was done: by another's hand, for all that is known."""
        suspect = place.view.id, candidate.interaction
        if not isinstance(error, ProcessGone) or suspect in self._suspects:
            return False
        self._suspects.add(suspect)
        return True

    def _is_view_limit_reached(self) -> bool:
        """Whether there is no budget for more than confirming what was found."""
        return self._is_over() or len(self._graph.snapshots) > self._limits.views

    def finish(self) -> None:
        """Enter what could not be confirmed for want of budget, as far as it is known."""
        waiting = [finding for place in self.pending for finding in place.results]
        for finding in (*waiting, *self.unconfirmed, *self.retried):
            if finding.signature:
                self._graph.confirm_result(finding)
            else:
                self.untried += 1

    def _queue_confirmation(self, finding: TrialResult) -> None:
        """Have a finding confirmed by the next pass."""
        if not finding.node.results:
            self.pending.append(finding.node)
        finding.node.results.append(finding)

    def _retry_alone(self, session: PageSession, place: ViewNode, candidate: InteractionCandidate) -> None:
        """Have something tried on a load of its own that could not be tried in company."""
        if not session.was_clean:
            self._queue_confirmation(
                TrialResult(place, candidate, "", session.last_asked, SideEffects(), False, session.load_id)
            )

    def _count_yield(self, place: ViewNode, finding: TrialResult, gain: int) -> None:
        likes = finding.candidate.group_key
        effect = finding.signature != place.view.signature or bool(finding.asked)
        self.yields.note_trial(likes, effect, gain, (finding.signature, finding.asked))
        if place.view.script[-1:] == (finding.candidate.interaction,):
            self.yields.note_repeat(likes, gain > 0 or not self._graph.has_view(finding.signature))

    async def _read_result(
        self, session: PageSession, place: ViewNode, candidate: InteractionCandidate, outcome: StepOutcome
    ) -> TrialResult:
        assert outcome.tree is not None
        mark = session.signature(outcome.tree)
        # What is seen in company with other views would show these in a picture as well.
        is_depicted = self._limits.screenshots and outcome.is_exact and not self._graph.has_screenshot(mark)
        picture = await session.tab.take_screenshot(self._limits.full_page) if is_depicted else b""
        if mark in self._graph.snapshots:
            self._graph.add_screenshot(mark, picture)
        else:
            offered = self._graph.snapshots[place.view.signature].available
            before = session.targets, tuple(each.interaction for each in offered)
            listeners = await session.tab.read_listeners()
            self._graph.snapshots[mark] = take_snapshot(outcome.tree, listeners, self._limits, before, picture)
        asked = frozenset(resource_url(each.url) for each in self._graph.caused_requests(outcome.effects))
        seen = outcome.written, outcome.dirt
        return TrialResult(place, candidate, mark, asked, outcome.effects, outcome.is_exact, session.load_id, *seen)

    def confirmation_steps(self, finding: TrialResult) -> int:
        """How many steps it takes to confirm a finding and to try what its view offers."""
        drawn = self._graph.snapshots.get(finding.signature)
        return 1 + (len(drawn.fresh) if drawn is not None else 0)

    def rehearsal_scenes(self, level: list[ViewNode]) -> list[RehearsalScene]:
        """What is going to be tried in the views that findings lead to, in the order of the second pass."""
        found = []
        for place in reversed(level):
            for finding in reversed(place.results):
                drawn = self._graph.snapshots.get(finding.signature)
                if drawn is not None and drawn.fresh and not self._graph.has_view(finding.signature):
                    trials = [each.interaction for each in self.yields.select_promising(drawn.fresh)]
                    found.append(RehearsalScene((*place.view.script, finding.candidate.interaction), trials))
        return found

    async def confirm_results(
        self, session: PageSession, place: ViewNode, findings: list[TrialResult], explores: bool
    ) -> None:
        """Run findings of one load again, those of a kind by samples, and try what can be done where they lead."""
        wanted = [each for each in findings if not self._settle_exact(each, explores)]
        chosen, rest = choose_samples(wanted, self._is_final)
        if chosen:
            doubtful = len(self.retried)
            await self._confirm_in_load(session, place, chosen, explores)
            if rest and len(self.retried) > doubtful:
                await self._confirm_in_load(session, place, rest, explores)
                rest = []
        for finding in rest:
            self._graph.confirm_result(finding)

    def _settle_exact(self, finding: TrialResult, explores: bool) -> bool:
        """Enter what needs no second run: what was run alone, and leads to nothing more."""
        if finding.is_exact and (not explores or self._graph.has_view(finding.signature)):
            self._graph.confirm_result(finding)
            return True
        return False

    def _is_final(self, finding: TrialResult) -> bool:
        """Whether nothing can be done in its view that could not be done before."""
        drawn = self._graph.snapshots.get(finding.signature)
        return drawn is not None and not drawn.fresh and not finding.is_exact

    async def _confirm_in_load(
        self, session: PageSession, place: ViewNode, findings: list[TrialResult], explores: bool
    ) -> None:
        if self._is_over():
            self.unconfirmed += findings
            return
        if not await session.go_to_view(place.view.script, place.view.signature):
            self.retried += findings
            return
        restore_point = session.save_point()
        await session.resolve_targets(each.candidate.interaction for each in findings[:_PREFETCHED_NODES])
        for finding in findings:
            if self._is_over():
                self.unconfirmed.append(finding)
            elif not await self._return_to_view(session, place, restore_point):
                self.retried.append(finding)
            else:
                restore_point = session.save_point()
                await self._confirm_safely(session, finding, explores)

    async def _confirm_safely(self, session: PageSession, finding: TrialResult, explores: bool) -> None:
        """Run one again; if the page does not survive it, those after it are not to suffer."""
        try:
            await self._confirm(session, finding, explores)
        except PageGone as error:
            self.troubles.append(FatalInteraction(session.trail, str(error)))
            await session.renew_tab()

    async def _confirm(self, session: PageSession, finding: TrialResult, explores: bool) -> None:
        """Run it again; what it came to holds if it does so in other company, or alone."""
        if not finding.signature:
            self.retried.append(finding)
            return
        try:
            outcome = await session.run_step(finding.candidate.interaction)
            if outcome is not None:
                self._graph.note_requests(outcome.effects)
            if outcome is None or outcome.tree is None:
                self.retried.append(replace(finding, asked=finding.asked | session.last_asked))
                return
            second = await self._read_result(session, finding.node, finding.candidate, outcome)
        except PageGone as error:
            if not self._is_first_suspicion(error, finding.node, finding.candidate):
                raise
            self.retried.append(finding)
            await session.renew_tab()
            return
        mixed = replace(finding, asked=finding.asked | second.asked)
        best = second if second.is_exact else finding
        agree = finding.agrees_with(second)
        if not agree:
            finding.node.doubt |= finding.written ^ second.written
        if best.is_exact:
            self._note_dependence(mixed, best)
        elif not agree or finding.node.doubt & finding.dirt & second.dirt:
            self.retried.append(mixed)
            return
        await self._enter_view(session, best, outcome, explores)

    async def run_alone(self, session: PageSession, finding: TrialResult, explores: bool) -> None:
        """Run a finding on a load of its own."""
        place, candidate = finding.node, finding.candidate
        if self._is_over():
            self.unconfirmed.append(finding)
            return
        if not await session.go_to_view(place.view.script, place.view.signature, afresh=True):
            self.untried += 1
            return
        try:
            outcome = await session.run_step(candidate.interaction)
            if outcome is None or outcome.tree is None:
                return
            exact = await self._read_result(session, place, candidate, outcome)
        except PageGone as error:
            if not self._is_first_suspicion(error, place, candidate):
                raise
            await session.renew_tab()
            await self.run_alone(session, finding, explores)
            return
        self._graph.note_requests(outcome.effects)
        self._note_dependence(finding, exact)
        await self._enter_view(session, exact, outcome, explores)

    def _note_dependence(self, mixed: TrialResult, exact: TrialResult) -> None:
        """In company it asked for more than alone: its siblings matter to it."""
        if mixed.asked - exact.asked:
            self.dependent.append(exact)

    async def _enter_view(
        self, session: PageSession, finding: TrialResult, outcome: StepOutcome, explores: bool = True
    ) -> None:
        """Enter what is certain, and try what a new view offers, standing in it."""
        place, is_new = self._graph.confirm_result(finding)
        if not is_new:
            return
        self.entered.append(place)
        if not explores or place.view.depth >= self._limits.depth:
            return
        again = [finding.candidate] if self.yields.may_repeat(finding.candidate.group_key) else []
        trials = [*place.trials, *again]
        if trials and outcome.tree is not None and session.signature(outcome.tree) == place.view.signature:
            session.enter_view(outcome.tree, finding.candidate.interaction)
        if trials:
            await self.try_candidates(session, place, trials)
