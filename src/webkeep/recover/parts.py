"""The parts of pages as they are recovered: which versions each page needs, so that few have to be had.

A version that another page needs already is taken for this page too, unless a better fitting one is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webkeep.coherence.fitting import Fit
from webkeep.model import Moment
from webkeep.recover.book import Book, Holding, Taken
from webkeep.recover.composing import Part, part_of
from webkeep.recover.finding import Finder
from webkeep.recover.histories import History
from webkeep.recover.worth import Version, Wish

_REMEMBERED = 20_000
_DAY = 86_400_000_000
_WORTH_A_REQUEST = 0.1
"""How much more likely another version fits, for that to be asked for too."""
_NEEDED = (Taken.WANTED, Taken.STORED)


@dataclass(slots=True)
class _Known:
    """What is held of one part, and which of it is needed."""

    id: int
    history: History
    count: int
    """How many versions are held."""
    needed: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Tally:
    """How the parts of pages fit, all in all."""

    pages: int = 0
    parts: int = 0
    missing: int = 0
    violative: int = 0
    doubtful: float = 0.0
    """How many further parts are to be expected to have been another."""
    spread_days: float = 0.0
    """The sum over pages."""

    def add(self, page: Version, parts: Iterable[Part]) -> None:
        """Count the parts of one page."""
        self.pages += 1
        moments = [page.micros] if page.micros is not None else []
        for part in parts:
            self.parts += 1
            self.missing += part.version is None
            self.violative += part.fit is Fit.VIOLATIVE
            self.doubtful += part.doubt
            if part.version is not None and part.version.micros is not None:
                moments.append(part.version.micros)
        self.spread_days += (max(moments) - min(moments)) / _DAY if moments else 0.0


class Parts:
    """Chooses versions of parts for pages."""

    def __init__(self, book: Book, finder: Finder, wish: Wish) -> None:
        self._book = book
        self._finder = finder
        self._wish = wish
        self._known: dict[str, _Known] = {}
        self._unheld = _Known(0, History((), wish), 0)
        self.tally = Tally()
        self.wanting: set[int] = set()
        """Resources of which a further version came to be needed, and that are not gone for since."""

    def history(self, key: str) -> History:
        """What is held of a part."""
        if key not in self._known:
            self._read([key])
        return self._known[key].history

    def choose(self, page: Version, keys: Sequence[str]) -> None:
        """Say which versions a page needs of its parts, that stand in the book already."""
        chosen = []
        self._read([key for key in keys if key not in self._known])
        for key in keys:
            known = self._known[key]
            part = part_of(page, key, known.history)
            chosen.append(part)
            if part.version is None or known.count == 1:
                continue
            if not self._serves(page, known, part):
                known.needed.add(part.version.number)
                self._book.want(known.id, [part.version.number])
                self.wanting.add(known.id)
        self.tally.add(page, chosen)

    def _serves(self, page: Version, known: _Known, best: Part) -> bool:
        """Whether a version that is needed anyway does nearly as well as the best."""
        if not known.needed or page.micros is None:
            return bool(known.needed)
        other = known.history.at(Moment(page.micros), known.needed)
        if other.version is None or best.version is None:
            return False
        if best.version.digest is not None and other.version.digest == best.version.digest:
            return True
        if other.fit is Fit.VIOLATIVE:
            return best.fit is Fit.VIOLATIVE
        return best.fit is not Fit.COHERENT and other.doubt <= best.doubt + _WORTH_A_REQUEST

    def _read(self, keys: Sequence[str]) -> None:
        """Learn from the book what is held of parts, all at once, since most pages have several of their own."""
        if not keys:
            return
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        resources = self._book.resources_of(keys)
        holdings = self._book.holdings_of([each.id for each in resources.values()])
        for key in keys:
            resource = resources.get(key)
            self._known[key] = self._unheld if resource is None else self._of(resource.id, holdings[resource.id])

    def _of(self, number: int, holdings: Sequence[Holding]) -> _Known:
        needed = {each.id for each in holdings if each.taken in _NEEDED}
        versions = self._finder.versions(holdings)
        return _Known(number, History(versions, self._wish), len(versions), needed)
