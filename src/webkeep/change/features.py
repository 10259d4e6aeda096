"""What a page looks like to a predictor: features of its URL before it is asked for, of the page itself after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Value = str | float
Features = Mapping[str, Value]
"""Texts are names to be told apart, numbers are compared by size."""

_SIGNS = {
    "~": "tilde",
    "_": "underscore",
    "?": "question",
    ";": "semicolon",
    ":": "colon",
    ",": "comma",
    "%": "percent",
}
_SEGMENTS = 3


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page once it was seen."""

    days_unchanged: float
    images: int = 0
    tables: int = 0
    links_out: int = 0
    links_in: int = 0
    size: int = 0


def url_features(url: str, media_type: str = "") -> dict[str, Value]:
    """What a URL and the kind of its content say."""
    address = url.partition("://")[2] or url
    host, _, path = address.partition("/")
    segments = path.partition("?")[0].split("/")
    features: dict[str, Value] = {
        "domain": host.lower(),
        "type": media_type.lower(),
        "depth": float(path.count("/") + 1),
        "length": float(len(url)),
    }
    for number in range(_SEGMENTS):
        features[f"segment {number + 1}"] = segments[number] if number < len(segments) else ""
    for sign, name in _SIGNS.items():
        features[name] = "yes" if sign in path else "no"
    return features


def page_features(url: str, media_type: str, facts: PageFacts) -> dict[str, Value]:
    """What a URL and the page behind it say."""
    return {
        **url_features(url, media_type),
        "days unchanged": facts.days_unchanged,
        "images": float(facts.images),
        "tables": float(facts.tables),
        "links out": float(facts.links_out),
        "links in": float(facts.links_in),
        "size": float(facts.size),
    }
