"""A tab at work on one page: where it stands, the way there by a script of interactions, and steps from there without
loading again.

Theory of operation. A page session knows two trees: what the page is (`now`), and the view in which it stands
(`ground`). After a fresh load they are one. A step that leads to another view leaves the page changed; to try the next
interaction of the same view the session does not load the page again but steps from where it is, and reads the outcome
for `ground` off what that step itself wrote (see `tree_overlay`). So a page with a hundred buttons is loaded once, not
a hundred times. The outcome of such a step is *inferred*; whoever drives the session has it confirmed from another
side, or has the step repeated on a fresh load, where it is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from contextlib import suppress
from dataclasses import dataclass

from webkeep.browser.dom.dom_signature import dom_signature
from webkeep.browser.dom.dom_tree import DomTree
from webkeep.browser.dom.element_names import ElementNames, name_elements
from webkeep.browser.dom.tree_overlay import changed_nodes, overlay_changes
from webkeep.browser.process.browser_errors import ProcessGone
from webkeep.browser.resource_identity import resource_url
from webkeep.browser.tabs.tab import LOAD_BUDGET_MS, Tab
from webkeep.browser.walk.self_activity import SelfActivity
from webkeep.browser.walk_model import Interaction, InteractionScript, PageRequest, SideEffects, WalkLimits

_MAX_LOADS = 2
"""Loads before a view counts as one that its script does not lead to."""
_OCCURRENCE_ROLES = frozenset({"Fetch", "XHR", "EventSource", "InteractionScript"})
"""Requests whose answers may depend on how often they were made."""


@dataclass(frozen=True, slots=True)
class RestorePoint:
    """A view of the present load, to come back to."""

    load: int
    ground: DomTree
    targets: ElementNames
    script: InteractionScript


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step came to."""

    effects: SideEffects
    tree: DomTree | None
    """The view after it; None if that cannot be told from here."""
    is_exact: bool
    """Whether the view it was taken from was all there was."""
    written: frozenset[str]
    """The elements of the view that it wrote to."""
    dirt: frozenset[str]
    """The elements of the view that others had written to before."""


class PageSession:
    """Loads, goes along scripts, steps."""

    def __init__(self, tab: Tab, url: str, limits: WalkLimits) -> None:
        self.tab = tab
        self._url, self._limits = url, limits
        self.load_budget = LOAD_BUDGET_MS
        self.self_activity = SelfActivity()
        self._asked: set[PageRequest] = set()
        self._dirt: set[int] = set()
        self._script: InteractionScript | None = None
        self.trail: InteractionScript = ()
        """All that was done since the load, in its order."""
        self.was_clean = False
        """Whether the last step was taken where there was nothing but the view."""
        self.last_asked: frozenset[str] = frozenset()
        """The resources that the last step asked for."""
        self.steps = 0
        """Interactions run."""

    async def load_page(self) -> SideEffects:
        """Begin at s0, with nothing done."""
        self._script, self.trail = None, ()
        effects = await self.tab.load(self._url, self._limits.settle_seconds, self.load_budget)
        self._stand_on(await self.tab.capture_tree())
        return effects

    def _stand_on(self, tree: DomTree) -> None:
        self.base = self.ground = self.now = tree
        self.targets = self._base_targets = name_elements(tree)
        self._volatile = self.self_activity.volatile_nodes(self.targets)
        self._asked, self._dirt = set(), set()
        self._script = ()

    def ignore_activity(self, activity: SelfActivity) -> None:
        """From now on, leave out what the page does by itself."""
        self.self_activity = activity
        if self._script is not None:
            self._volatile = activity.volatile_nodes(self._base_targets)

    def wait_longer(self, budget_ms: int) -> None:
        """Give every load so much more of the page's time, as something comes late."""
        self.load_budget = budget_ms

    def load_as(self, other: PageSession) -> None:
        """Load as another tab does, and leave out what it found the page to do by itself."""
        self.load_budget = other.load_budget
        self.ignore_activity(other.self_activity)

    def accept_tree(self, tree: DomTree) -> None:
        """The page at rest is taken to be this; time went by since the load."""
        self._stand_on(tree)

    def require_reload(self) -> None:
        """The next way begins with a load."""
        self._script = None

    async def renew_tab(self) -> None:
        """Go on in a new tab."""
        self._script = None
        await self.tab.renew()

    @property
    def load_id(self) -> tuple[int, int]:
        """Which load of which tab this is."""
        return id(self.tab), self.tab.loads

    @property
    def is_clean(self) -> bool:
        """Whether the page is the view and nothing else."""
        return self._script is not None and self.now is self.ground

    def signature(self, tree: DomTree) -> str:
        """Of a tree of this load."""
        return dom_signature(tree, self._volatile)

    async def go_to_view(self, script: InteractionScript, expected: str, afresh: bool = False) -> bool:
        """Stand in the view that a script leads to, from where the page is if need be; False if it leads elsewhere."""
        stays = not afresh and self._script is not None
        if stays and self._script == script:
            return True
        for attempt in range(0 if stays else 1, _MAX_LOADS + 1):
            try:
                if attempt:
                    await self.load_page()
                if await self._replay_script(script, expected):
                    return True
            except ProcessGone:
                if attempt == _MAX_LOADS:
                    raise
                await self.renew_tab()
        return False

    async def _replay_script(self, script: InteractionScript, expected: str) -> bool:
        self._set_position(self.base, self._base_targets, ())
        for interaction in script:
            outcome = await self.run_step(interaction)
            if outcome is None or outcome.tree is None:
                return False
            self.enter_view(outcome.tree, interaction)
        return self.signature(self.ground) == expected

    def enter_view(self, tree: DomTree, interaction: Interaction) -> None:
        """Stand in the view that a step led to."""
        assert self._script is not None
        self._set_position(tree, name_elements(tree), (*self._script, interaction))

    def save_point(self) -> RestorePoint:
        """Where it stands."""
        return RestorePoint(self.tab.loads, self.ground, self.targets, self.script)

    def return_to(self, restore_point: RestorePoint) -> bool:
        """Stand there again, the page keeping what was done to it since; False if it was loaded anew."""
        if restore_point.load != self.tab.loads or self._script is None:
            return False
        ground, targets, script = restore_point.ground, restore_point.targets, restore_point.script
        # Where requests were made, the page may have noted it elsewhere than in its DOM.
        if self.now is not ground and not self._asked and self.signature(self.now) == self.signature(ground):
            ground, targets = self.now, name_elements(self.now)
            if not script:
                self.base, self._base_targets = ground, targets
        self._set_position(ground, targets, script)
        return True

    def _set_position(self, ground: DomTree, targets: ElementNames, script: InteractionScript) -> None:
        self.ground, self.targets, self._script = ground, targets, script

    @property
    def script(self) -> InteractionScript:
        """The way to where it stands."""
        assert self._script is not None
        return self._script

    async def resolve_targets(self, interactions: Iterable[Interaction]) -> None:
        """Get hold of the elements of several steps at once."""
        found = (self.targets.by_name.get(each.target) for each in interactions)
        with suppress(ProcessGone):  # the first step will tell
            await self.tab.resolve_nodes(number for number in found if number is not None)

    async def run_step(self, interaction: Interaction) -> StepOutcome | None:
        """Do something in the view; None if what it is done to is not there."""
        self.was_clean, self.last_asked = self.is_clean, frozenset()
        number = self.targets.by_name.get(interaction.target)
        node = self.now.nodes.get(number or 0)
        if number is None or node is None or not (node.is_visible or interaction.target == "html"):
            return None
        before, was_clean = self.now, self.was_clean
        self.trail = (*self.trail, interaction)
        effects = await self._perform(interaction, number)
        if effects is None:
            return None
        self.steps += 1
        self.now = await self.tab.capture_tree()
        asked = {each for each in effects.requests if not self.self_activity.is_own(each)}
        self.last_asked = frozenset(resource_url(each.url) for each in asked)
        repeats = not was_clean and any(each.role in _OCCURRENCE_ROLES for each in asked & self._asked)
        self._asked |= asked
        written = changed_nodes(before, self.now)
        if not repeats:
            tree = overlay_changes(self.ground, before, self.now, written)
        else:
            # The server was asked once more than the view's own path would: that tells only if nothing came of it.
            tree = self.ground if self.signature(before) == self.signature(self.now) else None
        dirt = frozenset() if was_clean else self._element_names(self._dirt)
        self._dirt |= written.keys()
        return StepOutcome(effects, tree, was_clean, self._element_names(written.keys()), dirt)

    def _element_names(self, numbers: Set[int]) -> frozenset[str]:
        """The elements of the view among these nodes; texts count as what they are in."""
        nodes, names = self.ground.nodes, self.targets.by_node
        found = (number if number in names else nodes[number].parent for number in numbers if number in nodes)
        return frozenset(names[number] for number in found if number in names)

    async def _perform(self, interaction: Interaction, number: int) -> SideEffects | None:
        seconds = self._limits.settle_seconds
        if interaction.event != "scroll":
            return await self.tab.perform(interaction, number, seconds)
        every: list[SideEffects] = []
        reached = (self.now.frames[0].scrolled, self.now.frames[0].height)
        for _ in range(self._limits.screens):
            effects = await self.tab.perform(interaction, number, seconds)
            if effects is None:
                return None
            every.append(effects)
            frame = (await self.tab.capture_tree()).frames[0]
            if reached == (frame.scrolled, frame.height) and not effects.requests:
                break
            reached = frame.scrolled, frame.height
        return merge_effects(every)


def merge_effects(every: list[SideEffects]) -> SideEffects:
    """Several as one."""
    return SideEffects(
        tuple(each for part in every for each in part.requests),
        tuple(each for part in every for each in part.withheld),
        tuple(each for part in every for each in part.dialogs),
        tuple(each for part in every for each in part.popups),
        tuple(each for part in every for each in part.downloads),
        tuple(each for part in every for each in part.departures),
        tuple(each for part in every for each in part.errors),
        tuple(each for part in every for each in part.failures),
    )
