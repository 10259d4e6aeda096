"""What a page looks like to a predictor of change rates: features of its URL (domain, segments, signs) before it is
asked for, of the page itself (links, images, size, days unchanged) after.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

FeatureValue = str | float
Features = Mapping[str, FeatureValue]
"""Texts are names to be told apart, numbers are compared by size."""

_URL_SIGNS = {
    "~": "tilde",
    "_": "underscore",
    "?": "question",
    ";": "semicolon",
    ":": "colon",
    ",": "comma",
    "%": "percent",
}
_PATH_SEGMENTS = 3
"""Parts of a path that are features by themselves; deeper ones are known of few pages each."""
_MAX_FEATURE_VALUE = 1e12
"""What a stranger's page says of itself may be any number; beyond this all are the same."""
_COUNTED_TAGS = re.compile(r"<(img|table|a(?=\s))[\s/>]", re.IGNORECASE)


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
    tags = Counter(match[1].lower() for match in _COUNTED_TAGS.finditer(text))
    return PageFacts(days_unchanged, tags["img"], tags["table"], tags["a"], links_in, len(text))


def url_features(url: str, media_type: str = "") -> dict[str, FeatureValue]:
    """What a URL and the kind of its content say."""
    address = url.partition("://")[2] or url
    host, _, path = address.partition("/")
    segments = path.partition("?")[0].split("/")
    features: dict[str, FeatureValue] = {
        "domain": host.lower(),
        "type": media_type.lower(),
        "depth": float(path.count("/") + 1),
        "length": float(len(url)),
    }
    for number in range(_PATH_SEGMENTS):
        features[f"segment {number + 1}"] = segments[number] if number < len(segments) else ""
    for sign, name in _URL_SIGNS.items():
        features[name] = "yes" if sign in path else "no"
    return features


def page_features(url: str, media_type: str, facts: PageFacts) -> dict[str, FeatureValue]:
    """What a URL and the page behind it say."""
    return {
        **url_features(url, media_type),
        "days unchanged": _bound_number(facts.days_unchanged),
        "images": _bound_number(facts.images),
        "tables": _bound_number(facts.tables),
        "links out": _bound_number(facts.links_out),
        "links in": _bound_number(facts.links_in),
        "size": _bound_number(facts.size),
    }


def sitemap_features(url: str, media_type: str = "", days_unchanged: float = 0.0) -> dict[str, FeatureValue]:
    """What a sitemap's entry says to a predictor of the word for how often its page changes."""
    features = url_features(url, media_type)
    return {
        **{name: features[name] for name in ("domain", "type", "depth")},
        "days unchanged": _bound_number(days_unchanged),
    }


def _bound_number(value: float) -> float:
    return (
        float(value)
        if 0 <= value <= _MAX_FEATURE_VALUE
        else _MAX_FEATURE_VALUE
        if _MAX_FEATURE_VALUE < value < inf
        else 0.0
    )
