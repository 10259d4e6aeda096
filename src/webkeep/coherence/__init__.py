"""Blur and coherence of captures, and the schedules that optimise them: pure functions over rates and times."""

from webkeep.coherence.blur import (
    Interval,
    actual_blur,
    actual_page_blur,
    average_blur,
    blur,
    blur_bounds,
    own_interval,
    page_blur,
    penalty,
    revisit_penalty,
)
from webkeep.coherence.exact import selective_exact
from webkeep.coherence.expectation import (
    chance_of,
    conflict,
    expected_coherence,
    expected_incoherence,
    incoherence_variance,
    incoherent_pages,
    rate_of,
    stays,
)
from webkeep.coherence.geometry import Geometry, Shape, apart, joined, single
from webkeep.coherence.intervals import confidence_interval, interval_schedule, intervals, shrink
from webkeep.coherence.intervals_online import IntervalsOnline
from webkeep.coherence.lecture import bernoulli_conflict, inducible_schedule, measurable_schedule
from webkeep.coherence.notion import (
    Agreement,
    Measured,
    inducible_coherence,
    intersection,
    largest_agreement,
    measurable_coherence,
)
from webkeep.coherence.olston_pandey import OlstonPandey
from webkeep.coherence.order import (
    BreadthFirst,
    DepthFirst,
    HottestFirst,
    HottestLast,
    OrganPipe,
    VisitOrder,
    first_in_first_out,
    last_in_first_out,
    walk,
)
from webkeep.coherence.planned import PlannedOnline
from webkeep.coherence.revisits import revisits, revisits_greedy
from webkeep.coherence.schedule import Schedule, by_slots, equidistant, pyramid
from webkeep.coherence.scouting import Scouting
from webkeep.coherence.selective import selective
from webkeep.coherence.single_visit import best_start, best_times, offline, organ_pipe, worst_misplacement
from webkeep.coherence.size import FixedSize, LearnedSize, Size
from webkeep.coherence.strategy import STRATEGIES, Revisiting, Strategy, strategy_named
from webkeep.coherence.threshold import threshold, threshold_outside_in
from webkeep.coherence.timeline import Mapping, capture_at, observation_intervals, version_at

__all__ = [
    "STRATEGIES",
    "Agreement",
    "BreadthFirst",
    "DepthFirst",
    "FixedSize",
    "Geometry",
    "HottestFirst",
    "HottestLast",
    "Interval",
    "IntervalsOnline",
    "LearnedSize",
    "Mapping",
    "Measured",
    "OlstonPandey",
    "OrganPipe",
    "PlannedOnline",
    "Revisiting",
    "Schedule",
    "Scouting",
    "Shape",
    "Size",
    "Strategy",
    "VisitOrder",
    "actual_blur",
    "actual_page_blur",
    "apart",
    "average_blur",
    "bernoulli_conflict",
    "best_start",
    "best_times",
    "blur",
    "blur_bounds",
    "by_slots",
    "capture_at",
    "chance_of",
    "confidence_interval",
    "conflict",
    "equidistant",
    "expected_coherence",
    "expected_incoherence",
    "first_in_first_out",
    "incoherence_variance",
    "incoherent_pages",
    "inducible_coherence",
    "inducible_schedule",
    "intersection",
    "interval_schedule",
    "intervals",
    "joined",
    "largest_agreement",
    "last_in_first_out",
    "measurable_coherence",
    "measurable_schedule",
    "observation_intervals",
    "offline",
    "organ_pipe",
    "own_interval",
    "page_blur",
    "penalty",
    "pyramid",
    "rate_of",
    "revisit_penalty",
    "revisits",
    "revisits_greedy",
    "selective",
    "selective_exact",
    "shrink",
    "single",
    "stays",
    "strategy_named",
    "threshold",
    "threshold_outside_in",
    "version_at",
    "walk",
    "worst_misplacement",
]
