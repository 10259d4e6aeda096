"""What a fresh machine has: tests find the programs of Debian's base system and of what the scripts install, no others.

A test that needs a program which somebody installed by hand passes on that machine and fails on the next. So the tests
run with a search path that leads to one folder of links: to the programs of the packages in `scripts/packages.txt`, of
what the README asks for, of Debian's base system, and of all that these depend on. Whatever else is installed is not
found, by tests or by any process they start; what is started by its full path is looked up when it is started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASKED_FOR = ("git", "make", "python3", "python3-venv")
"""What the README asks a machine to have, and what `scripts/venv.sh` adds to it."""
_BASE = ("required", "important")
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/opt/")
_NO_PROGRAMS = ("/usr/share/", "/usr/include/")
_PLACES = ("/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/games/")
_FORMAT = "${db:Status-Abbrev}\t${binary:Package}\t${Priority}\t${Provides}\t${Pre-Depends}, ${Depends}\n"


@dataclass(frozen=True, slots=True)
class Package:
    """An installed Debian package, as far as it matters to others."""

    name: str
    is_base: bool
    provides: frozenset[str]
    needs: frozenset[str]
    """Names of packages, alternatives all of them."""


def read_packages(listed: str) -> list[Package]:
    """The packages in a list that `dpkg-query` wrote."""
    found = []
    for line in listed.splitlines():
        state, name, priority, provides, needs = line.split("\t")
        if state.startswith("ii"):
            bare = name.partition(":")[0]
            found.append(Package(bare, priority in _BASE, _names(provides) | {bare}, _names(needs)))
    return found


def _names(field: str) -> frozenset[str]:
    """Package names in a field such as `Depends`, without versions and architectures."""
    words = (each.split("(")[0].split(":")[0].strip() for part in field.split(",") for each in part.split("|"))
    return frozenset(word for word in words if word)


def with_dependencies(packages: Iterable[Package], wanted: Iterable[str]) -> frozenset[str]:
    """The names of the base system, of what is wanted, and of all that these need."""
    every = list(packages)
    by_name: dict[str, list[Package]] = {}
    for package in every:
        for name in package.provides:
            by_name.setdefault(name, []).append(package)
    waiting = [*(each.name for each in every if each.is_base), *wanted]
    found: set[str] = set()
    while waiting:
        for package in by_name.get(waiting.pop(), ()):
            if package.name not in found:
                found.add(package.name)
                waiting.extend(package.needs)
    return frozenset(found)


def declared_packages() -> list[str]:
    """What the scripts install."""
    lines = (ROOT / "scripts/packages.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


class DeclaredPrograms:
    """The programs of a fresh machine on which the scripts have run."""

    def __init__(self, owned: Mapping[str, str]) -> None:
        self._owned = owned

    @classmethod
    def of_this_machine(cls) -> DeclaredPrograms:
        """Those that are installed here."""
        packages = read_packages(_output("dpkg-query", "-W", "-f", _FORMAT))
        names = with_dependencies(packages, [*ASKED_FOR, *declared_packages()])
        return cls(dict(_files_of(names)))

    def link_into(self, folder: Path) -> None:
        """Fill an empty folder with links to them."""
        found = {Path(path).name: path for path in self._owned if path.startswith(_PLACES)}
        # Names of alternatives, such as awk and cc, belong to no package; the machine's own Python may be none.
        for link in Path("/etc/alternatives").iterdir():
            if os.path.realpath(link) in self._owned:
                found.setdefault(link.name, str(link))
        if python := shutil.which("python3"):
            found["python3"] = python
        for name, path in found.items():
            (folder / name).symlink_to(path)

    def complaint(self, program: str) -> str:
        """Why a program may not be started by its full path; nothing if it may."""
        path = os.path.realpath(program)
        if path in self._owned or not path.startswith(_SYSTEM) or path == os.path.realpath(sys.executable):
            return ""
        return f"a test starts {program}, which no script installs; add its package to scripts/packages.txt"


def _files_of(names: frozenset[str]) -> Iterator[tuple[str, str]]:
    for listed in Path("/var/lib/dpkg/info").glob("*.list"):
        name = listed.stem.partition(":")[0]
        if name in names:
            for path in filter(_is_program, listed.read_text(errors="surrogateescape").splitlines()):
                yield path, name
                yield os.path.realpath(path), name


def _is_program(path: str) -> bool:
    return (
        path.startswith(_SYSTEM)
        and not path.startswith(_NO_PROGRAMS)
        and os.access(path, os.X_OK)
        and not os.path.isdir(path)
    )


def _output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def confine(folder: Path) -> None:
    """Have this process, and all it starts, find the programs of a fresh machine alone, by links in an empty folder."""
    if shutil.which("dpkg-query") is None:
        return  # what a fresh machine has is known of Debian
    programs = DeclaredPrograms.of_this_machine()
    programs.link_into(folder)
    folder.chmod(0o755)  # what is started as another user finds them too
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), str(folder)])
    sys.addaudithook(lambda event, args: _watch(programs, event, args))


def _watch(programs: DeclaredPrograms, event: str, args: tuple[object, ...]) -> None:
    if event in ("subprocess.Popen", "os.posix_spawn", "os.exec") and isinstance(args[0], str | bytes):
        program = os.fsdecode(args[0])
        if program.startswith("/") and (complaint := programs.complaint(program)):
            raise AssertionError(complaint)
