"""A page chosen together with what it embeds, so that its parts fit together in time (a composite memento): what counts
more, missing, violative or doubtful parts, or the distance from the wanted moment.

For a page of some moment each embedded resource is chosen by what all its held versions say of that moment
(`build_histories`). Several versions of the page are compared by what they come to with their parts: first how many
parts
are missing, then how many were another at the page's moment, then how many probably were, and only then how far the
page lies from the wanted moment and its parts from it. A part may have another version with another page, so that
pages are chosen independently of each other, and the choice is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from webkeep.coherence.time_travel import TemporalFit
from webkeep.model import Moment
from webkeep.recover.judging.embed_history import ChosenVersion, EmbedHistory
from webkeep.recover.judging.version_ranking import AvailableVersion, VersionPreference, rank_versions

_DAY_MICROS = 86_400_000_000


@dataclass(frozen=True, slots=True)
class ChosenEmbed:
    """The version chosen of one embedded resource."""

    url: str
    version: AvailableVersion | None
    """None where none is held."""
    fit: TemporalFit | None = None
    """None where that cannot be said: one of both has no date."""
    doubt: float = 0.0
    """How likely it was another at the page's moment, where it is not known that it was."""


@dataclass(frozen=True, slots=True)
class PageComposition:
    """A version of a page, and the versions of its parts."""

    page: AvailableVersion
    parts: tuple[ChosenEmbed, ...] = ()
    missing: int = 0
    violative: int = 0
    doubtful: float = 0.0
    """How many further parts are to be expected to have been another."""
    distance: float = 0.0
    """How far the page lies from the wanted moment, and its parts on average from it, in days."""
    spread: float = 0.0
    """Days from the earliest part to the latest, the page among them."""

    @property
    def cost(self) -> tuple[float, ...]:
        """What is to be as low as possible."""
        return (self.missing, self.violative, round(self.doubtful, 6), self.distance)


@dataclass(frozen=True, slots=True)
class PageCandidate:
    """A version of a page and what it embeds."""

    version: AvailableVersion
    embeds: Sequence[str] = field(default=())


def build_histories(
    held: Mapping[str, Sequence[AvailableVersion]], preference: VersionPreference
) -> dict[str, EmbedHistory]:
    """What is held of each part, ready to be asked."""
    return {url: EmbedHistory(versions, preference) for url, versions in held.items()}


def choose_composition(
    leaves: Iterable[PageCandidate],
    held: Mapping[str, Sequence[AvailableVersion]],
    preference: VersionPreference,
    reach: float = inf,
) -> PageComposition | None:
    """The version of a page that comes to the least cost with its parts; None where there is none to choose.

    Versions that lie more than `reach` days further from the wanted moment than the nearest are not looked at.
    """
    return choose_from_histories(leaves, build_histories(held, preference), preference, reach)


def choose_from_histories(
    leaves: Iterable[PageCandidate],
    parts: Mapping[str, EmbedHistory],
    preference: VersionPreference,
    reach: float = inf,
) -> PageComposition | None:
    """The same, where what is held of each part is ready to be asked."""
    of = {leaf.version.number: leaf for leaf in leaves}
    wanted = (
        preference
        if preference.at is not None
        else replace(preference, at=_newest_moment(leaf.version for leaf in of.values()))
    )
    candidates = rank_versions((leaf.version for leaf in of.values()), wanted)
    alike = [each for each in candidates if each.tier is candidates[0].tier]
    least = min((_distance_days(each, wanted) for each in alike), default=0.0)
    made = [
        compose_page(of[each.number], parts, wanted) for each in alike if _distance_days(each, wanted) <= least + reach
    ]
    return min(made, key=lambda each: each.cost, default=None)


def compose_page(
    leaf: PageCandidate, parts: Mapping[str, EmbedHistory], preference: VersionPreference
) -> PageComposition:
    """What one version of a page comes to with the best versions of its parts."""
    page = leaf.version
    chosen = tuple(choose_embed(page, url, parts.get(url)) for url in leaf.embeds)
    fits = [part.fit for part in chosen]
    moments = [part.version.micros for part in chosen if part.version is not None and part.version.micros is not None]
    middle = page.micros if page.micros is not None else max(moments, default=0)
    everything = [*moments, middle]
    return PageComposition(
        page,
        chosen,
        sum(part.version is None for part in chosen),
        fits.count(TemporalFit.VIOLATIVE),
        sum(part.doubt for part in chosen),
        _distance_days(page, preference) + _mean([abs(each - middle) for each in moments]) / _DAY_MICROS,
        (max(everything) - min(everything)) / _DAY_MICROS,
    )


def choose_embed(page: AvailableVersion, url: str, history: EmbedHistory | None) -> ChosenEmbed:
    """The version of an embedded resource that goes best with a version of a page."""
    if history is None:
        return ChosenEmbed(url, None)
    is_dated = page.micros is not None and page.has_crawl_date
    choice: ChosenVersion = history.version_at(Moment(page.micros or 0)) if is_dated else history.newest_version()
    return ChosenEmbed(url, choice.version, choice.fit, choice.doubt)


def _newest_moment(versions: Iterable[AvailableVersion]) -> Moment | None:
    newest = max((each.micros for each in versions if each.micros is not None), default=None)
    return None if newest is None else Moment(newest)


def _distance_days(version: AvailableVersion, preference: VersionPreference) -> float:
    if version.micros is None or preference.at is None:
        return 0.0
    return abs(version.micros - preference.at.micros) / _DAY_MICROS


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
