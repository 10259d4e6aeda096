"""Coherence first: of the versions of a resource that a page embeds, the one that evidence says was there with it; how
many around the page's moment are looked at, and the field Webkeep-Fit that says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from webkeep.coherence.sightings import Sighting
from webkeep.coherence.time_travel import FittingChoice, TemporalFit, choose_sighting, judge_fit
from webkeep.formats.status import PARTIAL_CONTENT
from webkeep.model import Digest, Moment, Observation
from webkeep.replay.choice.collection import Memento, MementoQuery
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.replay.server.message import Fields
from webkeep.store.index import UrlVersions, filter_shown
from webkeep.url import surt

_VERSIONS_AROUND = 24
"""How many versions on either side of the page's moment are looked at."""


@dataclass(frozen=True, slots=True)
class FittedEmbed:
    """A version chosen for a page, and how it fits."""

    memento: Memento
    fit: TemporalFit
    ground: str
    """Why it was chosen."""

    def response_fields(self) -> Fields:
        """What an answer says of it."""
        return [("Webkeep-Fit", f"{self.fit}; ground={self.ground}")]


def choose_fitting_embed(
    lookup: MementoLookup, query: MementoQuery, found: Memento, asking: MementoQuery
) -> FittedEmbed | None:
    """The version of what was found that fits the page which asks for it; None where there is no such page."""
    if query.method != "GET" or found.entry.status == PARTIAL_CONTENT:
        return None
    page = lookup.nearest(asking)
    if page is None or page.entry.url == found.entry.url:
        return None
    return fit_to_page(lookup, query, page, found)


def fit_to_page(lookup: MementoLookup, query: MementoQuery, page: Memento, nearest: Memento) -> FittedEmbed:
    """The version of an embedded resource that fits a page best; `nearest` is the one that is nearest in time."""
    moment = page.entry.moment
    versions = _versions_around(lookup, surt(query.url), moment, nearest)
    sightings = [_sighting(each) for each in versions]
    choice: FittingChoice | None = choose_sighting(moment, sightings, capture_of(page))
    if choice is not None:
        return FittedEmbed(versions[choice.place], choice.fit, choice.ground.name.lower().replace("_", " "))
    return FittedEmbed(nearest, judge_fit(moment, sightings, versions.index(nearest)), "nearest")


def _versions_around(lookup: MementoLookup, key: str, moment: Moment, nearest: Memento) -> Sequence[Memento]:
    """The versions around a moment of exactly the URL that was found."""
    found = [nearest]
    url = nearest.entry.url
    for archive in lookup.collection.archives:
        versions = UrlVersions(archive.index, key)
        start = versions.nth_before(moment, _VERSIONS_AROUND)
        begin = moment if start is None else min(start.moment, moment)
        entries = islice(filter_shown(archive.catalog, versions.all(begin)), 2 * _VERSIONS_AROUND + 1)
        found += [each for entry in entries if (each := Memento(archive, entry)).entry.url == url and each != nearest]
    return [each for each in found if lookup.is_visible(each)] or [nearest]


def capture_of(found: Memento) -> str:
    """The capture that a version belongs to, "" where it belongs to none."""
    observation = _observation(found)
    return observation.capture if observation else ""


def _observation(found: Memento) -> Observation | None:
    place = found.entry.place
    return found.archive.catalog.observations.find_at(place.file, place.offset)


def _sighting(found: Memento) -> Sighting:
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
