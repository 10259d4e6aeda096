"""The state of a site: what each of its pages was when it was last seen, in a capture or up to a moment; what counts as
there, gone or answered, and that a failure takes no place of an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.formats.status import GONE_STATUSES, is_redirection, is_successful
from webkeep.model import CONTENT_TYPES, Digest, Moment, Observation
from webkeep.store.archive import Archive
from webkeep.url import is_robots_url, is_urn
from webkeep.url.canonical import LASTING_IDENTITY


@dataclass(frozen=True, slots=True)
class LastSeenPage:
    """A page as it was when it was last seen."""

    observation: Observation

    @property
    def digest(self) -> Digest | None:
        """Of its content; of the payload where that is not known."""
        return self.observation.content_digest or self.observation.payload_digest

    @property
    def is_there(self) -> bool:
        """Whether there was content."""
        status = self.observation.status
        return status is None or is_successful(status)

    @property
    def is_answered(self) -> bool:
        """Whether its server said what there is; one in trouble did not."""
        return self.is_there or self.is_gone or self.is_redirect

    @property
    def is_gone(self) -> bool:
        """Whether its server said that there is nothing; anything else than that proves nothing."""
        return self.observation.status in GONE_STATUSES

    @property
    def is_redirect(self) -> bool:
        """Whether it leads elsewhere."""
        return is_redirection(self.observation.status)


SiteState = dict[str, LastSeenPage]
"""Pages by what they are known by."""


def state_in_captures(archive: Archive, *captures: str) -> SiteState:
    """The state of a site as these captures, given in their order, saw it last."""
    return _build_state(each for capture in captures for each in archive.observations(capture))


def state_at(archive: Archive, moment: Moment) -> SiteState:
    """The state of everything in an archive as it was known at a moment."""
    return _build_state(_observations_until(archive, moment))


def _observations_until(archive: Archive, moment: Moment) -> Iterator[Observation]:
    """What was seen up to a moment; later ones of the same URL come later."""
    for entry in archive.entries(until=moment):
        observation = archive.observation_at(entry.place)
        if observation is not None:
            yield observation


def _build_state(observations: Iterable[Observation]) -> SiteState:
    state: SiteState = {}
    for observation in observations:
        if (
            observation.record_type not in CONTENT_TYPES
            or observation.method != "GET"
            or is_robots_url(observation.url)
            or is_urn(observation.url)
        ):
            continue
        identity = LASTING_IDENTITY(observation.url)
        known = state.get(identity)
        page = LastSeenPage(observation)
        if known is None or (
            known.observation.moment <= observation.moment and (page.is_answered or not known.is_answered)
        ):
            state[identity] = page
    return state
