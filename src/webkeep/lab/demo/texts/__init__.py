"""The words of the site, read from the package's data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Article:
    """A piece in the Courier."""

    section: str
    slug: str
    title: str
    day: str
    scene: str
    every: float
    lede: str
    text: tuple[str, ...]

    @property
    def path(self) -> str:
        """Its address."""
        return f"/news/{self.section}/{self.slug}/"


@dataclass(frozen=True, slots=True)
class PlainPage:
    """A page that is mostly text."""

    path: str
    title: str
    scene: str
    lede: str
    text: tuple[str, ...]


@cache
def read_articles() -> tuple[Article, ...]:
    """Every article, newest first."""
    found = (Article(**{**entry, "text": tuple(entry["text"])}) for entry in _read_toml("articles")["article"])
    return tuple(sorted(found, key=lambda article: (article.day, article.slug), reverse=True))


@cache
def read_plain_pages() -> tuple[PlainPage, ...]:
    """Every page of plain text."""
    return tuple(PlainPage(**{**entry, "text": tuple(entry["text"])}) for entry in _read_toml("pages")["page"])


@cache
def read_phrases(kind: str) -> tuple[str, ...]:
    """The phrases of one kind."""
    return tuple(_read_toml("phrases")[kind])


@cache
def _read_toml(name: str) -> dict[str, Any]:
    return tomllib.loads(files("webkeep.lab.demo.texts").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
