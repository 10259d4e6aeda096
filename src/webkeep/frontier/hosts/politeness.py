"""Politeness: how long a server is left in peace after a response, by the person's delay, Crawl-delay, Retry-After and
the server's slowness, and how it is slowed down for after 429 or 503.

The delay in force is the greatest of four: what the person set (or one second, and none for this machine's own
addresses), the Crawl-delay of robots.txt, a spacing that grows while the server turns requests away and halves after
successes, and the smoothed time to the first byte of a server that has become slow. All ports of one name share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from webkeep.frontier.hosts.backoff import HostReaction
from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.urls.fetch_outcome import FetchOutcome

_FIRST_SPACING_SECONDS = 1.0
"""The spacing after a server turned a request away for the first time."""
_MIN_SPACING_SECONDS = 0.1
"""A spacing that would become shorter ends: the time between requests is then the usual one."""
_SUCCESSES_TO_HALVE = 5
"""After so many answers in a row the spacing is halved."""
_SMOOTHING_WEIGHT = 0.2
"""The weight of the newest time to the first byte in the smoothed one."""
_SLOW_SECONDS = 1.0
"""A server that answers sooner is never slow, however much quicker it was before."""
_SLOW_FACTOR = 4.0
"""A server is slow from so many times its own best time on."""
_RECOVERED_FACTOR = 2.0
"""It is slow no longer below so many times its best: less, so that it does not waver."""
_MIN_SAMPLES = 5
"""So many answers are waited for before slowness is judged."""


@dataclass(slots=True)
class HostPace:
    """The pace at which one server is asked."""

    given: float | None
    """What the person set; None where no one said."""
    default: float
    longest: float
    """No Crawl-delay or slowness makes it longer."""
    loopback: bool | None = None
    """Whether the server is this machine; None while no address is known."""
    delay: float = field(init=False)
    """The delay in force, in seconds."""
    crawl_delay: float = 0.0
    """The greatest that the robots.txt files of its ports ask for."""
    spacing: float = 0.0
    slowness: float = 0.0
    waits_until: int = 0
    """Before that moment, in microseconds, the server is not asked at all."""
    ended: int = 0
    """When its last response ended."""
    _crawl_delays: dict[str, float] = field(default_factory=dict)
    _rejected_at: int = 0
    _successes: int = 0
    _smoothed: float = 0.0
    _best: float = 0.0
    _samples: int = 0

    @classmethod
    def for_host(cls, host: str, policy: CrawlPolicy) -> HostPace:
        """The pace a host's server begins with."""
        return cls(policy.delay_for(host), policy.default_delay, policy.max_delay)

    def __post_init__(self) -> None:
        self._update_delay()

    def _update_delay(self) -> None:
        self.delay = max(self.base, self.crawl_delay, self.spacing, self.slowness)

    @property
    def base(self) -> float:
        """The delay before anything was learned of the server but its address."""
        if self.given is not None:
            return self.given
        return 0.0 if self.loopback else self.default

    @property
    def request_interval(self) -> float:
        """The usual seconds from one request to the next, where they are made one after the other."""
        return self.delay + self._smoothed

    @property
    def free_at(self) -> int:
        """From when on the server may be asked, in microseconds, where no request is under way."""
        rested = self.ended + round(self.delay * 1_000_000) if self.ended else 0
        return rested if rested > self.waits_until else self.waits_until

    @property
    def reason(self) -> str:
        """What the delay in force rests on."""
        delay = self.delay
        if delay == self.base:
            return "plan" if self.given is not None else "loopback" if self.loopback else "default"
        if delay == self.crawl_delay:
            return "crawl-delay"
        return "turned away" if delay == self.spacing else "slow server"

    @property
    def is_parallel(self) -> bool:
        """Whether the server may have more than one request under way."""
        return self.loopback is not None and self.delay == 0

    def change_policy(self, host: str, policy: CrawlPolicy) -> None:
        """Go by another policy from now on."""
        self.given, self.default, self.longest = policy.delay_for(host), policy.default_delay, policy.max_delay
        self._update_delay()

    def set_crawl_delay(self, host: str, crawl_delay: float) -> None:
        """Leave the server in peace for at least what one of its hosts asks, or the longest there is."""
        self._crawl_delays.pop(host, None)
        if crawl_delay:
            self._crawl_delays[host] = min(crawl_delay, self.longest)
        self.crawl_delay = max(self._crawl_delays.values(), default=0.0)
        self._update_delay()

    def restore(self, loopback: bool | None, spacing: float, waits_until: int, ended: int) -> None:
        """Go on at the pace that was come to elsewhere, such as in an earlier process."""
        self.loopback = loopback if self.loopback is None else self.loopback
        self.spacing = max(self.spacing, spacing)
        self.waits_until = max(self.waits_until, waits_until)
        self.ended = max(self.ended, ended)
        self._update_delay()

    def update_from(self, outcome: FetchOutcome, reaction: HostReaction) -> None:
        """Learn from an answer."""
        if outcome.address or outcome.loopback:  # a socket of this machine has no address
            self.loopback = outcome.loopback
        match reaction:
            case HostReaction.TURNED_AWAY:
                self._widen_spacing(outcome)
            case HostReaction.UNREACHED:
                self._successes = 0
            case HostReaction.SERVED:
                self._relax_spacing(outcome)
        self.ended = max(self.ended, outcome.ended.micros)
        self._update_delay()

    def leave_alone(self, since: int, seconds: float) -> None:
        """Leave the server in peace until so many seconds after a moment."""
        self.waits_until = max(self.waits_until, since + round(seconds * 1_000_000))

    def _widen_spacing(self, outcome: FetchOutcome) -> None:
        # What was under way when the server first said so tells nothing new.
        if outcome.started.micros >= self._rejected_at:
            self._rejected_at = outcome.ended.micros
            self.spacing = min(max(2 * self.spacing, 2 * self.base, _FIRST_SPACING_SECONDS), self.longest)
        self._successes = 0
        self.leave_alone(outcome.ended.micros, outcome.retry_after or 0.0)

    def _relax_spacing(self, outcome: FetchOutcome) -> None:
        self._successes += 1
        if self.spacing and self._successes % _SUCCESSES_TO_HALVE == 0:
            self.spacing = self.spacing / 2 if self.spacing > 2 * _MIN_SPACING_SECONDS else 0.0
        if outcome.first_byte_seconds > 0:
            self._smooth_latency(outcome.first_byte_seconds)

    def _smooth_latency(self, seconds: float) -> None:
        self._samples += 1
        weight = max(_SMOOTHING_WEIGHT, 1 / self._samples)
        self._smoothed += weight * (seconds - self._smoothed)
        if self._samples < _MIN_SAMPLES:
            return
        self._best = min(self._best or self._smoothed, self._smoothed)
        factor = _RECOVERED_FACTOR if self.slowness else _SLOW_FACTOR
        is_slow = self._smoothed > max(_SLOW_SECONDS, factor * self._best)
        self.slowness = min(self._smoothed, self.longest) if is_slow else 0.0
