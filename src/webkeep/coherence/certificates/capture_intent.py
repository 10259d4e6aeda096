"""What a capture set out to do for coherence: its strategy, its pace, the reference moment it aimed at and the change
rates it knew; how that is written into metadata records and read back.

A crawl writes it into its archive, in one note or several; whoever certifies the capture reads what was to be expected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite

from webkeep.coherence.certificates.json_fields import parse_json_fields
from webkeep.coherence.schedules.rate_order import MAX_RATE
from webkeep.errors import FormatError
from webkeep.model import Moment

MEDIA_TYPE = "application/vnd.webkeep.intent+json"
"""Of the metadata records that hold an intent."""
_MAX_RATES_A_NOTE = 5000
"""Rates in one record, so that a site of any size makes records of a bounded one."""
_MAX_WAIT_SECONDS = 7 * 86400
"""No answer takes a week; a note that says more is damaged."""
_MAX_WEIGHT = 1e300
"""Sums of weights below this stay numbers."""


def intent_urn(capture: str) -> str:
    """The name of the metadata records that hold the intent of a capture."""
    return f"urn:webkeep:intent:{capture}"


@dataclass(frozen=True, slots=True)
class CaptureIntent:
    """What a capture knew and wanted before it was done."""

    strategy: str
    delay_seconds: float | None = None
    reference: Moment | None = None
    """The moment for which the site was to be coherent; None for a capture without revisits."""
    rates: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """How often each URL was believed to change (changes a second), and where that was known from."""
    waits: Mapping[str, float] = field(default_factory=dict)
    """The seconds from the request of each visit to the end of its answer, where that was worth noting."""
    parts: tuple[Moment, ...] = ()
    """The moments, one for each part, of a capture that made parts of the site coherent one after the other."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """How much URLs matter, where a person said so; all others have a weight of 1."""

    def render_notes(self) -> Iterator[bytes]:
        """The notes to be kept, each of a bounded size; the same intent gives the same bytes."""
        rates, waits = iter(sorted(self.rates.items())), iter(sorted(self.waits.items()))
        some, slow = list(islice(rates, _MAX_RATES_A_NOTE)), list(islice(waits, _MAX_RATES_A_NOTE))
        yield self._render_note(some, slow)
        while (some := list(islice(rates, _MAX_RATES_A_NOTE))) or (slow := list(islice(waits, _MAX_RATES_A_NOTE))):
            yield self._render_note(some, slow if not some else [])
        weights = iter(sorted(self.weights.items()))
        while heavy := list(islice(weights, _MAX_RATES_A_NOTE)):
            yield self._render_note([], [], heavy)

    def _render_note(
        self,
        rates: list[tuple[str, tuple[float, str]]],
        waits: list[tuple[str, float]],
        weights: list[tuple[str, float]] | None = None,
    ) -> bytes:
        values = {
            "strategy": self.strategy,
            "delay_seconds": self.delay_seconds,
            "reference": None if self.reference is None else self.reference.iso(),
            "parts": [each.iso() for each in self.parts],
            "rates": {url: [_bound_rate(rate), source] for url, (rate, source) in rates},
            "waits": {url: _read_wait(seconds) for url, seconds in waits},
            **({"weights": {url: _read_weight(weight) for url, weight in weights}} if weights else {}),
        }
        return json.dumps(values, separators=(",", ":"), allow_nan=False).encode("ascii")


def read_intent(blocks: Iterable[bytes]) -> CaptureIntent | None:
    """What notes say, the later one having the last word; None without any, an error where one is damaged."""
    intent: CaptureIntent | None = None
    rates: dict[str, tuple[float, str]] = {}
    waits: dict[str, float] = {}
    weights: dict[str, float] = {}
    for block in blocks:
        fields = parse_json_fields(block)
        for url, values in fields.mapping("rates").items():
            rates[url] = _read_rate(values)
        for url, seconds in fields.mapping("waits").items() if "waits" in fields.values else ():
            waits[url] = _read_wait(seconds)
        for url, weight in fields.mapping("weights").items() if "weights" in fields.values else ():
            weights[url] = _read_weight(weight)
        intent = CaptureIntent(
            fields.text("strategy"),
            fields.optional_number("delay_seconds"),
            fields.optional_moment("reference"),
            rates,
            waits,
            fields.moments("parts") if "parts" in fields.values else (),
            weights,
        )
    return intent


def _read_rate(values: object) -> tuple[float, str]:
    match values:
        case [int() | float() as rate, str() as source] if not isinstance(rate, bool):
            return _bound_rate(rate), source
    raise FormatError("a rate should be a number and a text that says where it is known from")


def _read_wait(seconds: object) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _MAX_WAIT_SECONDS:
        raise FormatError(f"no answer takes {str(seconds)[:20]} seconds; a wait is a number from zero to a week")
    return round(float(seconds), 6)


def _read_weight(weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= _MAX_WEIGHT:
        raise FormatError(f"a page cannot weigh {str(weight)[:20]}; weights are zero or more")
    return float(weight)


def _bound_rate(rate: float) -> float:
    """A rate as formulas can take it."""
    if rate > MAX_RATE:  # compared before it is made a float: whole numbers have no bounds
        return MAX_RATE
    if rate < 0 or not isfinite(rate):
        raise FormatError(f"a page cannot change {str(rate)[:20]} times a second; rates are zero or more")
    return float(rate)
