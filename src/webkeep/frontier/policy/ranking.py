"""Rankings: in which order the candidates of a host are asked for: robots.txt, seeds, sitemaps, embeds, then pages
(breadth-first, depth-first or best-first), and guesses last.

All agree on the bands: the host's rules first, what pages begun need before new pages, what is certain before guesses.
They differ in the order of pages.
"""

from __future__ import annotations

from typing import Protocol

from webkeep.frontier.urls.candidate import Candidate, UrlRole

_BAND_SHIFT = 56
"""Bits below a band: the place of a candidate within it."""
_MAX_BAND_PLACES = (1 << 40) - 1
"""Candidates beyond that place within a band are all alike."""
_BANDS = {UrlRole.ROBOTS: 0, UrlRole.SEED: 1, UrlRole.SITEMAP: 2, UrlRole.EMBED: 3, UrlRole.NAVIGATE: 4}
_GUESS_BANDS = {**_BANDS, UrlRole.EMBED: 5, UrlRole.NAVIGATE: 6}


class CandidateRanking(Protocol):
    """An order of candidates."""

    def rank(self, candidate: Candidate, serial: int) -> int:
        """The candidate's place, smallest first; `serial` says how many were found before it."""
        ...


class BreadthFirst:
    """Near pages before far ones, each in the order in which they were found."""

    def rank(self, candidate: Candidate, serial: int) -> int:  # noqa: ARG002
        """The candidate's place: by its depth."""
        return _band_of(candidate) | min(candidate.depth, _MAX_BAND_PLACES)


class DepthFirst:
    """What was found last before what was found first."""

    def rank(self, candidate: Candidate, serial: int) -> int:
        """The candidate's place: against the order of finding, for pages."""
        return _band_of(candidate) | (
            _MAX_BAND_PLACES - min(serial, _MAX_BAND_PLACES) if candidate.role is UrlRole.NAVIGATE else 0
        )


class BestFirst:
    """What looks like a page that many would want before what looks like the thousandth view of a list."""

    def rank(self, candidate: Candidate, serial: int) -> int:  # noqa: ARG002
        """The candidate's place: by its depth, the length of its path, and its query."""
        path, mark, query = candidate.url.partition("?")
        burden = 4 * candidate.depth + path.count("/") - 3 + len(path) // 40
        if mark:
            burden += 6 + 2 * query.count("&") + len(query) // 20
        return _band_of(candidate) | min(max(burden, 0), _MAX_BAND_PLACES)


STRATEGIES: dict[str, CandidateRanking] = {
    "breadth-first": BreadthFirst(),
    "depth-first": DepthFirst(),
    "best-first": BestFirst(),
}
"""The strategies by the names that people use."""


def _band_of(candidate: Candidate) -> int:
    return (_GUESS_BANDS if candidate.guess else _BANDS)[candidate.role] << _BAND_SHIFT
