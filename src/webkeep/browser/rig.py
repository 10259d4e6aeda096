"""A tab at work on one page: where it stands, and steps from there.

Theory of operation. A rig knows two trees: what the page is (`now`), and the view in which it stands (`ground`). After
a fresh load they are one. A step that leads to another view leaves the page changed; to try the next interaction of the
same view the rig does not load the page again but steps from where it is, and reads the outcome for `ground` off what
that step itself wrote (see `overlay`). So a page with a hundred buttons is loaded once, not a hundred times. The
outcome of such a step is *inferred*; whoever drives the rig has it confirmed from another side, or has the step
repeated on a fresh load, where it is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from contextlib import suppress
from dataclasses import dataclass

from webkeep.browser.calm import Unrest
from webkeep.browser.failures import ProcessGone
from webkeep.browser.overlay import overlaid, touched
from webkeep.browser.resources import resource_of
from webkeep.browser.signature import signature
from webkeep.browser.tab import LOAD_GRANT, Tab
from webkeep.browser.targets import Targets, name_elements
from webkeep.browser.tree import Tree
from webkeep.browser.values import Asking, Happenings, Interaction, Limits, Script

_ATTEMPTS = 2
"""Loads before a view counts as one that its script does not lead to."""
_COUNTED = frozenset({"Fetch", "XHR", "EventSource", "Script"})
"""Requests whose answers may depend on how often they were made."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A view of the present load, to come back to."""

    load: int
    ground: Tree
    targets: Targets
    script: Script


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step came to."""

    happenings: Happenings
    tree: Tree | None
    """The view after it; None if that cannot be told from here."""
    is_exact: bool
    """Whether the view it was taken from was all there was."""
    written: frozenset[str]
    """The elements of the view that it wrote to."""
    dirt: frozenset[str]
    """The elements of the view that others had written to before."""


class Rig:
    """Loads, goes along scripts, steps."""

    def __init__(self, tab: Tab, url: str, limits: Limits) -> None:
        self.tab = tab
        self._url, self._limits = url, limits
        self.grant = LOAD_GRANT
        self.unrest = Unrest()
        self._asked: set[Asking] = set()
        self._dirt: set[int] = set()
        self._script: Script | None = None
        self.trail: Script = ()
        """All that was done since the load, in its order."""
        self.was_clean = False
        """Whether the last step was taken where there was nothing but the view."""
        self.last_asked: frozenset[str] = frozenset()
        """The resources that the last step asked for."""
        self.steps = 0
        """Interactions run."""

    async def load(self) -> Happenings:
        """Begin at s0, with nothing done."""
        self._script, self.trail = None, ()
        happenings = await self.tab.load(self._url, self._limits.settle_seconds, self.grant)
        self._stand(await self.tab.tree())
        return happenings

    def _stand(self, tree: Tree) -> None:
        self.base = self.ground = self.now = tree
        self.targets = self._base_targets = name_elements(tree)
        self._volatile = self.unrest.nodes(self.targets)
        self._asked, self._dirt = set(), set()
        self._script = ()

    def learn(self, unrest: Unrest) -> None:
        """From now on, leave out what the page does by itself."""
        self.unrest = unrest
        if self._script is not None:
            self._volatile = unrest.nodes(self._base_targets)

    def settle_on(self, tree: Tree) -> None:
        """The page at rest is taken to be this; time went by since the load."""
        self._stand(tree)

    def leave(self) -> None:
        """The next way begins with a load."""
        self._script = None

    async def renew(self) -> None:
        """Go on in a new tab."""
        self._script = None
        await self.tab.renew()

    @property
    def chain(self) -> tuple[int, int]:
        """Which load of which tab this is."""
        return id(self.tab), self.tab.loads

    @property
    def is_clean(self) -> bool:
        """Whether the page is the view and nothing else."""
        return self._script is not None and self.now is self.ground

    def signature(self, tree: Tree) -> str:
        """Of a tree of this load."""
        return signature(tree, self._volatile)

    async def go(self, script: Script, expected: str, afresh: bool = False) -> bool:
        """Stand in the view that a script leads to, from where the page is if need be; False if it leads elsewhere."""
        stays = not afresh and self._script is not None
        if stays and self._script == script:
            return True
        for attempt in range(0 if stays else 1, _ATTEMPTS + 1):
            try:
                if attempt:
                    await self.load()
                if await self._go_on(script, expected):
                    return True
            except ProcessGone:
                if attempt == _ATTEMPTS:
                    raise
                await self.renew()
        return False

    async def _go_on(self, script: Script, expected: str) -> bool:
        self._put(self.base, self._base_targets, ())
        for interaction in script:
            outcome = await self.step(interaction)
            if outcome is None or outcome.tree is None:
                return False
            self.enter(outcome.tree, interaction)
        return self.signature(self.ground) == expected

    def enter(self, tree: Tree, interaction: Interaction) -> None:
        """Stand in the view that a step led to."""
        assert self._script is not None
        self._put(tree, name_elements(tree), (*self._script, interaction))

    def here(self) -> Standing:
        """Where it stands."""
        return Standing(self.tab.loads, self.ground, self.targets, self.script)

    def back(self, standing: Standing) -> bool:
        """Stand there again, the page keeping what was done to it since; False if it was loaded anew."""
        if standing.load != self.tab.loads or self._script is None:
            return False
        ground, targets, script = standing.ground, standing.targets, standing.script
        # Where requests were made, the page may have noted it elsewhere than in its DOM.
        if self.now is not ground and not self._asked and self.signature(self.now) == self.signature(ground):
            ground, targets = self.now, name_elements(self.now)
            if not script:
                self.base, self._base_targets = ground, targets
        self._put(ground, targets, script)
        return True

    def _put(self, ground: Tree, targets: Targets, script: Script) -> None:
        self.ground, self.targets, self._script = ground, targets, script

    @property
    def script(self) -> Script:
        """The way to where it stands."""
        assert self._script is not None
        return self._script

    async def reach(self, interactions: Iterable[Interaction]) -> None:
        """Get hold of the elements of several steps at once."""
        found = (self.targets.by_name.get(each.target) for each in interactions)
        with suppress(ProcessGone):  # the first step will tell
            await self.tab.reach(number for number in found if number is not None)

    async def step(self, interaction: Interaction) -> Outcome | None:
        """Do something in the view; None if what it is done to is not there."""
        self.was_clean, self.last_asked = self.is_clean, frozenset()
        number = self.targets.by_name.get(interaction.target)
        node = self.now.nodes.get(number or 0)
        if number is None or node is None or not (node.is_seen or interaction.target == "html"):
            return None
        before, was_clean = self.now, self.was_clean
        self.trail = (*self.trail, interaction)
        happenings = await self._done(interaction, number)
        if happenings is None:
            return None
        self.steps += 1
        self.now = await self.tab.tree()
        asked = {each for each in happenings.requests if not self.unrest.is_own(each)}
        self.last_asked = frozenset(resource_of(each.url) for each in asked)
        repeats = not was_clean and any(each.role in _COUNTED for each in asked & self._asked)
        self._asked |= asked
        written = touched(before, self.now)
        if not repeats:
            tree = overlaid(self.ground, before, self.now, written)
        else:
            # The server was asked once more than the view's own path would: that tells only if nothing came of it.
            tree = self.ground if self.signature(before) == self.signature(self.now) else None
        dirt = frozenset() if was_clean else self._names(self._dirt)
        self._dirt |= written.keys()
        return Outcome(happenings, tree, was_clean, self._names(written.keys()), dirt)

    def _names(self, numbers: Set[int]) -> frozenset[str]:
        """The elements of the view among these nodes; texts count as what they are in."""
        nodes, names = self.ground.nodes, self.targets.by_node
        found = (number if number in names else nodes[number].parent for number in numbers if number in nodes)
        return frozenset(names[number] for number in found if number in names)

    async def _done(self, interaction: Interaction, number: int) -> Happenings | None:
        seconds = self._limits.settle_seconds
        if interaction.event != "scroll":
            return await self.tab.perform(interaction, number, seconds)
        every: list[Happenings] = []
        reached = (self.now.frames[0].scrolled, self.now.frames[0].height)
        for _ in range(self._limits.screens):
            happenings = await self.tab.perform(interaction, number, seconds)
            if happenings is None:
                return None
            every.append(happenings)
            frame = (await self.tab.tree()).frames[0]
            if reached == (frame.scrolled, frame.height) and not happenings.requests:
                break
            reached = frame.scrolled, frame.height
        return merged(every)


def merged(every: list[Happenings]) -> Happenings:
    """Several as one."""
    return Happenings(
        tuple(each for part in every for each in part.requests),
        tuple(each for part in every for each in part.wishes),
        tuple(each for part in every for each in part.dialogs),
        tuple(each for part in every for each in part.popups),
        tuple(each for part in every for each in part.downloads),
        tuple(each for part in every for each in part.departures),
    )
