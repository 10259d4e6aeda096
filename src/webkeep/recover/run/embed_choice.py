"""The parts of pages as they are recovered: which versions each page needs, so that few have to be had; how much better
another version must fit to be asked for too.

A version that another page needs already is taken for this page too, unless a better fitting one is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webkeep.coherence.time_travel import TemporalFit
from webkeep.model import Moment
from webkeep.recover.judging.embed_history import EmbedHistory
from webkeep.recover.judging.page_composition import ChosenEmbed, choose_embed
from webkeep.recover.judging.version_ranking import AvailableVersion, VersionPreference
from webkeep.recover.run.version_search import VersionFinder
from webkeep.recover.state.recovery_store import HeldVersion, RecoveryStore, VersionState

_MAX_REMEMBERED_EMBEDS = 20_000
"""Parts whose versions are kept in memory; when they are more, all are read anew."""
_DAY_MICROS = 86_400_000_000
_MIN_DOUBT_SAVED = 0.1
"""How much more likely another version fits, for that to be asked for too."""
_NEEDED_STATES = (VersionState.WANTED, VersionState.STORED)


@dataclass(slots=True)
class _EmbedState:
    """What is held of one part, and which of it is needed."""

    id: int
    history: EmbedHistory
    count: int
    """How many versions are held."""
    needed: set[int] = field(default_factory=set)


@dataclass(slots=True)
class FitCounts:
    """How the parts of pages fit, all in all."""

    pages: int = 0
    parts: int = 0
    missing: int = 0
    violative: int = 0
    doubtful: float = 0.0
    """How many further parts are to be expected to have been another."""
    spread_days: float = 0.0
    """The sum over pages."""

    def add(self, page: AvailableVersion, parts: Iterable[ChosenEmbed]) -> None:
        """Count the parts of one page."""
        self.pages += 1
        moments = [page.micros] if page.micros is not None else []
        for part in parts:
            self.parts += 1
            self.missing += part.version is None
            self.violative += part.fit is TemporalFit.VIOLATIVE
            self.doubtful += part.doubt
            if part.version is not None and part.version.micros is not None:
                moments.append(part.version.micros)
        self.spread_days += (max(moments) - min(moments)) / _DAY_MICROS if moments else 0.0


class EmbedChooser:
    """Chooses versions of parts for pages."""

    def __init__(self, recovery_store: RecoveryStore, finder: VersionFinder, preference: VersionPreference) -> None:
        self._store = recovery_store
        self._finder = finder
        self._preference = preference
        self._known: dict[str, _EmbedState] = {}
        self._unheld = _EmbedState(0, EmbedHistory((), preference), 0)
        self.fit_counts = FitCounts()
        self.wanting: set[int] = set()
        """Resources of which a further version came to be needed, and that are not gone for since."""

    def embed_history(self, key: str) -> EmbedHistory:
        """What is held of a part."""
        if key not in self._known:
            self._load_embeds([key])
        return self._known[key].history

    def choose_embeds(self, page: AvailableVersion, keys: Sequence[str]) -> None:
        """Say which versions a page needs of its parts, that stand in the recovery store already."""
        chosen = []
        self._load_embeds([key for key in keys if key not in self._known])
        for key in keys:
            known = self._known[key]
            part = choose_embed(page, key, known.history)
            chosen.append(part)
            if part.version is None or known.count == 1:
                continue
            if not self._is_served(page, known, part):
                known.needed.add(part.version.number)
                self._store.request_versions(known.id, [part.version.number])
                self.wanting.add(known.id)
        self.fit_counts.add(page, chosen)

    def _is_served(self, page: AvailableVersion, known: _EmbedState, best: ChosenEmbed) -> bool:
        """Whether a version that is needed anyway does nearly as well as the best."""
        if not known.needed or page.micros is None:
            return bool(known.needed)
        other = known.history.version_at(Moment(page.micros), known.needed)
        if other.version is None or best.version is None:
            return False
        if best.version.digest is not None and other.version.digest == best.version.digest:
            return True
        if other.fit is TemporalFit.VIOLATIVE:
            return best.fit is TemporalFit.VIOLATIVE
        return best.fit is not TemporalFit.COHERENT and other.doubt <= best.doubt + _MIN_DOUBT_SAVED

    def _load_embeds(self, keys: Sequence[str]) -> None:
        """Learn from the recovery store what is held of parts, all at once, as most pages have several."""
        if not keys:
            return
        if len(self._known) >= _MAX_REMEMBERED_EMBEDS:
            self._known.clear()
        resources = self._store.find_resources(keys)
        versions = self._store.held_versions_by_resource([each.id for each in resources.values()])
        for key in keys:
            resource = resources.get(key)
            self._known[key] = (
                self._unheld if resource is None else self._embed_state(resource.id, versions[resource.id])
            )

    def _embed_state(self, number: int, held_version: Sequence[HeldVersion]) -> _EmbedState:
        needed = {each.id for each in held_version if each.state in _NEEDED_STATES}
        versions = self._finder.rate_versions(held_version)
        return _EmbedState(number, EmbedHistory(versions, self._preference), len(versions), needed)
