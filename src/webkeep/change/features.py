"""What a page looks like to a predictor: features of its URL before it is asked for, of the page itself after."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

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
_LARGEST = 1e12
_COUNTED = re.compile(r"<(img|table|a(?=\s))[\s/>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page once it was seen."""

    days_unchanged: float
    images: int = 0
    tables: int = 0
    links_out: int = 0
    links_in: int = 0
    size: int = 0


def page_facts(text: str, days_unchanged: float, links_in: int = 0) -> PageFacts:
    """The facts of a page by its markup, whose tags are counted as they stand: no tree is needed for that."""
    tags = Counter(match[1].lower() for match in _COUNTED.finditer(text))
    return PageFacts(days_unchanged, tags["img"], tags["table"], tags["a"], links_in, len(text))


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
        "days unchanged": _number(facts.days_unchanged),
        "images": _number(facts.images),
        "tables": _number(facts.tables),
        "links out": _number(facts.links_out),
        "links in": _number(facts.links_in),
        "size": _number(facts.size),
    }


def sitemap_features(url: str, media_type: str = "", days_unchanged: float = 0.0) -> dict[str, Value]:
    """What a sitemap's entry says to a predictor of the word for how often its page changes."""
    features = url_features(url, media_type)
    return {
        **{name: features[name] for name in ("domain", "type", "depth")},
        "days unchanged": _number(days_unchanged),
    }


def _number(value: float) -> float:
    return float(value) if 0 <= value <= _LARGEST else _LARGEST if _LARGEST < value < inf else 0.0
