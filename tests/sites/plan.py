"""What the sites of the tests are: a folder of plain files each, and a `site.toml` for what takes a server's doing."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Rule:
    """What a server does about one path beyond sending a file; README.md tells what each field is for."""

    path: str
    host: str = ""
    method: str = ""
    status: int = 200
    to: str = ""
    file: str = ""
    says: str = ""
    coding: str = ""
    chunks: int = 0
    events: tuple[str, ...] = ()
    after: str = ""
    socket: bool = False
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, entry: dict[str, Any]) -> Self:
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()})


@dataclass(frozen=True)
class Site:
    """One difficulty, and all that is needed to meet it."""

    name: str
    about: str
    start: str = ""
    secure: bool = False
    """Whether browsers do what it is about over https alone."""
    hosts: tuple[str, ...] = ()
    """The labels of its other host names; the files of each are in the folder of that name."""
    made: dict[str, str] = field(default_factory=dict)
    """Paths of files that code makes, and by which name in `material`."""
    rules: tuple[Rule, ...] = ()

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def host(self) -> str:
        return f"{self.name}.test"

    @property
    def all_hosts(self) -> list[str]:
        return [self.host, *(f"{label}.{self.host}" for label in self.hosts)]

    def rule(self, label: str, path: str, method: str) -> Rule | None:
        """The first rule for a request."""
        held = (rule for rule in self.rules if (rule.host, rule.path) == (label, path))
        return next((rule for rule in held if rule.method in ("", method)), None)


@cache
def sites() -> tuple[Site, ...]:
    """All of them, by name."""
    return tuple(_read(file) for file in sorted(FOLDER.glob("*/site.toml")))


def _read(file: Path) -> Site:
    told = tomllib.loads(file.read_text())
    made = {path: kind for kind, paths in told.pop("made", {}).items() for path in paths}
    rules = tuple(map(Rule.read, told.pop("rule", [])))
    return Site(file.parent.name, hosts=tuple(told.pop("hosts", ())), made=made, rules=rules, **told)
