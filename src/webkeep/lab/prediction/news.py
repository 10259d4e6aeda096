"""A generated sitemap of a news site, whose publishing system words its entries by rule: place, kind and age."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.change import Features, sitemap_features
from webkeep.lab.demo.chance import Chance
from webkeep.model import ChangeFrequency

_SECTIONS = ("world", "politics", "economy", "culture", "science", "sport")
_AGES = (
    (3.0, ChangeFrequency.DAILY), (30.0, ChangeFrequency.WEEKLY), (365.0, ChangeFrequency.MONTHLY),
    (1500.0, ChangeFrequency.YEARLY),
)  # fmt: skip
_SLIPS = 0.01
"""The share of entries that an editor worded otherwise."""
_OLDEST = 3000.0


@dataclass(frozen=True, slots=True)
class Worded:
    """An entry with what a predictor may see of it, and its word."""

    page: Features
    word: ChangeFrequency


def worded_entries(entries: int, seed: int) -> list[Worded]:
    """The entries of such a sitemap."""
    chance = Chance("sitemap", seed)
    found = [Worded(sitemap_features("https://news.example/", "text/html"), ChangeFrequency.ALWAYS)]
    for section in _SECTIONS:
        features = sitemap_features(f"https://news.example/{section}/", "text/html")
        found.append(Worded(features, ChangeFrequency.HOURLY))
    return found + [_article(chance, number) for number in range(entries - len(found))]


def _article(chance: Chance, number: int) -> Worded:
    age = _OLDEST * chance.uniform() ** 4
    kind = "video/mp4" if chance.uniform() < 0.1 else "text/html"
    url = f"https://news.example/{chance.pick(_SECTIONS)}/2020/{number}"
    word = chance.pick(tuple(ChangeFrequency)) if chance.uniform() < _SLIPS else _word(kind, age)
    return Worded(sitemap_features(url, kind, age), word)


def _word(kind: str, age: float) -> ChangeFrequency:
    if kind != "text/html":
        return ChangeFrequency.NEVER
    return next((word for oldest, word in _AGES if age < oldest), ChangeFrequency.NEVER)
