"""A reconstruction held against the original, where that is still there or a capture of it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from webkeep.document.visible import visible_lines
from webkeep.formats.content_type import charset
from webkeep.formats.http1 import ResponseHead
from webkeep.model import Moment, Observation
from webkeep.recover.difference import Difference, Likeness, Vector, compared
from webkeep.recover.outcome import Line
from webkeep.recover.recoverability import Standing, recoverability
from webkeep.recover.similarity import is_textual, text_likeness
from webkeep.recover.success import Losses, losses
from webkeep.store.archive import Archive
from webkeep.url import split
from webkeep.url.address import normal

_LONGEST = 4 << 20


class _Kept(NamedTuple):
    digest: str
    media_type: str
    url: str
    micros: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a reconstruction differs from the original."""

    difference: Difference
    similar: int
    skipped: int
    score: float
    """The share of the original that was to be expected back, by the published regression."""

    @property
    def vector(self) -> Vector:
        """The shares of what is changed, missing and added."""
        return self.difference.vector

    @property
    def losses(self) -> Losses:
        """The five scores of loss."""
        return losses(self.difference, self.similar, self.skipped)


def compare(
    recovered: Archive, lines: Iterable[Line], original: Archive, key: Callable[[str], str], capture: str = ""
) -> Comparison:
    """Hold the chosen versions of a recovery against a capture of the original, byte by byte and text by text."""
    ours: dict[str, _Kept] = {}
    skipped = set()
    for line in lines:
        if line.is_skipped:
            skipped.add(line.key)
        elif line.chosen is not None:
            seen = recovered.lookup(line.chosen.url, line.chosen.moment)
            if seen is not None and 200 <= (seen.status or 200) < 300:
                ours[line.key] = _kept(seen)
    theirs = _original(original, key, capture)
    fates = list(compared(_digests(theirs), _digests(ours)))
    changed = [url for url, likeness in fates if likeness is Likeness.CHANGED]
    similar = sum(_is_similar(recovered, ours[url], original, theirs[url]) for url in changed)
    missing = [url for url, likeness in fates if likeness is Likeness.MISSING]
    difference = Difference.of(likeness for _, likeness in fates)
    return Comparison(difference, similar, sum(url in skipped for url in missing), expected(theirs.values()))


def expected(resources: Iterable[_Kept]) -> float:
    """The share of resources that was to be expected back, by what is known of each without the world's links."""
    kept = list(resources)
    newest = max((each.micros for each in kept), default=0)
    scores = [recoverability(_standing(each, len(kept), newest)) for each in kept]
    return sum(scores) / len(scores) if scores else 0.0


def _standing(kept: _Kept, size: int, newest: int) -> Standing:
    parts = split(normal(kept.url) or "http://unknown/")
    depth = max(parts.path.count("/") - 1, 0)
    return Standing(
        site_size=size,
        hops=depth,
        path_depth=depth,
        query_parameters=parts.query.count("=") if parts.query else 0,
        age_days=max(newest - kept.micros, 0) / 86_400_000_000,
    )


def _original(archive: Archive, key: Callable[[str], str], capture: str) -> dict[str, _Kept]:
    """The newest version of everything that the original had."""
    found: dict[str, _Kept] = {}
    for seen in archive.observations(capture or None):
        if seen.url.startswith("http") and seen.method == "GET" and 200 <= (seen.status or 200) < 300:
            kept = _kept(seen)
            known = found.get(key(seen.url))
            if known is None or known.micros <= kept.micros:
                found[key(seen.url)] = kept
    return found


def _kept(seen: Observation) -> _Kept:
    digest = seen.content_digest or seen.payload_digest
    return _Kept(str(digest), seen.media_type, seen.url, seen.moment.micros)


def _digests(kept: dict[str, _Kept]) -> dict[str, str]:
    return {url: each.digest for url, each in kept.items()}


def _is_similar(recovered: Archive, ours: _Kept, original: Archive, theirs: _Kept) -> bool:
    if not is_textual(ours.media_type) or not is_textual(theirs.media_type):
        return False
    return text_likeness(_text(original, theirs), _text(recovered, ours)).is_similar


def _text(archive: Archive, kept: _Kept) -> str:
    seen = archive.lookup(kept.url, Moment(kept.micros))
    if seen is None:
        return ""
    holding = archive.read(seen)
    head = holding.head or ResponseHead()
    content = b"".join(holding.content(_LONGEST))
    return "\n".join(visible_lines(content, charset(head.headers)))
