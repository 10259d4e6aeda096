"""SHARC-Selective: gives up exactly the pages whose sacrifice makes more of the others coherent; needs no parameter."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.geometry import Geometry, joined
from webkeep.coherence.rates import checked, coldest_first
from webkeep.coherence.sacrifice import sacrificed
from webkeep.coherence.schedule import Schedule, pyramid


def selective(rates: Sequence[float], delay: float = 1.0, geometry: Geometry | None = None) -> Schedule:
    """Hopeless pages outermost, hottest first; then hopeful ones from the coldest to the hottest, and back again."""
    shape = geometry or joined(len(rates), delay)
    clean = checked(rates)
    ascending = coldest_first(clean)
    given_up = sacrificed([clean[page] for page in ascending], shape.shortest, 2 * shape.delay)
    hopeless = [ascending[place] for place in given_up]
    hidden = frozenset(hopeless)
    return pyramid(shape, [*hopeless, *(page for page in ascending if page not in hidden)], hidden)
