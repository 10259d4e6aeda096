"""Coherence first: of the versions of a resource that a page embeds, the one that evidence says was there with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from webkeep.coherence.fitting import Choice, Fit, chosen, fit_of
from webkeep.coherence.sighting import Sighting
from webkeep.model import Digest, Moment, Observation
from webkeep.replay.collection import Found, Wish
from webkeep.replay.looking import Looker
from webkeep.replay.message import Fields
from webkeep.store.versions import Versions, got
from webkeep.url import surt

_PARTIAL = 206
_AROUND = 24
"""How many versions on either side of the page's moment are looked at."""


@dataclass(frozen=True, slots=True)
class Part:
    """A version chosen for a page, and how it fits."""

    found: Found
    fit: Fit
    ground: str
    """Why it was chosen."""

    def fields(self) -> Fields:
        """What an answer says of it."""
        return [("Webkeep-Fit", f"{self.fit}; ground={self.ground}")]


def fitting_part(looker: Looker, wish: Wish, found: Found, asking: Wish) -> Part | None:
    """The version of what was found that fits the page which asks for it; None where there is no such page."""
    if wish.method != "GET" or found.entry.status == _PARTIAL:
        return None
    page = looker.nearest(asking)
    if page is None or page.entry.url == found.entry.url:
        return None
    return fitting(looker, wish, page, found)


def fitting(looker: Looker, wish: Wish, page: Found, nearest: Found) -> Part:
    """The version of an embedded resource that fits a page best; `nearest` is the one that is nearest in time."""
    moment = page.entry.moment
    versions = _around(looker, surt(wish.url), moment, nearest)
    sightings = [_sighting(each) for each in versions]
    choice: Choice | None = chosen(moment, sightings, capture_of(page))
    if choice is not None:
        return Part(versions[choice.place], choice.fit, choice.ground.name.lower().replace("_", " "))
    return Part(nearest, fit_of(moment, sightings, versions.index(nearest)), "nearest")


def _around(looker: Looker, key: str, moment: Moment, nearest: Found) -> Sequence[Found]:
    """The versions around a moment of exactly the URL that was found."""
    found = [nearest]
    url = nearest.entry.url
    for archive in looker.collection.archives:
        versions = Versions(archive.index, key)
        start = versions.back(moment, _AROUND)
        begin = moment if start is None else min(start.moment, moment)
        entries = islice(got(archive.catalog, versions.all(begin)), 2 * _AROUND + 1)
        found += [each for entry in entries if (each := Found(archive, entry)).entry.url == url and each != nearest]
    return [each for each in found if looker.shows(each)] or [nearest]


def capture_of(found: Found) -> str:
    """The capture that a version belongs to, "" where it belongs to none."""
    observation = _observation(found)
    return observation.capture if observation else ""


def _observation(found: Found) -> Observation | None:
    place = found.entry.place
    return found.archive.catalog.observations.at(place.file, place.offset)


def _sighting(found: Found) -> Sighting:
    entry, seen = found.entry, _observation(found)
    if seen is None:
        return Sighting(entry.moment, entry.status, Digest.parse(entry.digest))
    return Sighting(
        entry.moment,
        entry.status,
        seen.payload_digest,
        seen.content_digest,
        seen.etag,
        seen.last_modified,
        capture=seen.capture,
        media_type=seen.media_type,
    )
