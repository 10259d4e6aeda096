"""Nothing that tests need was installed by hand: programs are of declared packages, modules of the project."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from declared_programs import ROOT, DeclaredPrograms, declared_packages, read_packages, with_dependencies

LISTED = """\
ii \tbase-files\trequired\t\tawk
ii \tmawk\trequired\tawk\tlibc6 (>= 2.34)
ii \tlibc6:amd64\toptional\t\t, 
ii \tbrowser\toptional\twww-browser, web (= 2)\tbrowser-common (= 1), libc6 | libc7
ii \tbrowser-common\toptional\t\tfonts:any
ii \tfonts\toptional\t\t
ii \tby-hand\toptional\t\tlibc6
rc \tgone\trequired\t\tlibc6
"""  # noqa: W291 - as dpkg-query writes it


def test_what_is_declared_brings_what_it_needs() -> None:
    packages = read_packages(LISTED)
    base = {"base-files", "mawk", "libc6"}
    assert with_dependencies(packages, []) == base
    assert with_dependencies(packages, ["www-browser"]) == base | {"browser", "browser-common", "fonts"}
    assert with_dependencies(packages, ["unheard-of"]) == base


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="what a fresh machine has is known of Debian")
def test_tests_find_the_programs_of_a_fresh_machine_and_no_others() -> None:
    folders = os.environ["PATH"].split(os.pathsep)
    assert folders[0] == str(Path(sys.executable).parent)
    (folder,) = folders[1:]
    assert {"sh", "nginx", "wget", "chromium"} <= set(os.listdir(folder))
    by_hand = sorted(set(os.listdir("/usr/bin")) - set(os.listdir(folder)))
    assert all(shutil.which(name) is None for name in by_hand if not (Path(sys.executable).parent / name).exists())


def test_what_is_started_by_its_full_path_is_looked_up(tmp_path: Path) -> None:
    declared = DeclaredPrograms({"/usr/bin/declared": "package"})
    assert declared.complaint("/usr/bin/declared") == declared.complaint(sys.executable) == ""
    assert declared.complaint(str(tmp_path / "own")) == "", "what a test makes is its own"
    assert "scripts/packages.txt" in declared.complaint("/usr/bin/by-hand")
    with pytest.raises(AssertionError, match="no script installs"):
        subprocess.run(["/usr/bin/by-hand"], check=True)


def test_packages_are_listed_once_in_order() -> None:
    assert declared_packages() == sorted(set(declared_packages()))


def test_the_environment_holds_what_is_asked_for_and_no_more() -> None:
    """A module that somebody installed into `.venv` would be missing on the next machine."""
    if Path(sys.prefix) != ROOT / ".venv":
        pytest.skip("the tests do not run in the project's own environment")
    installed = {canonicalize_name(each.metadata["Name"]): each for each in distributions(path=[_site_packages()])}
    waiting = [("webkeep", frozenset({"dev"}))]
    wanted: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = wish = waiting.pop()
        if name in installed and wish not in wanted:
            wanted.add(wish)
            waiting += _needs(installed[name], extras)
    assert set(installed) - {name for name, _ in wanted} <= {"pip", "setuptools", "wheel"}


def _site_packages() -> str:
    return str(next((Path(sys.prefix) / "lib").glob("python*/site-packages")))


def _needs(distribution: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    found = [Requirement(each) for each in distribution.requires or ()]
    return [
        (canonicalize_name(each.name), frozenset(each.extras))
        for each in found
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]


def test_tests_that_share_stay_together(request: pytest.FixtureRequest) -> None:
    """The scheduler goes by the name behind the test's; without it every worker would make what is shared."""
    if request.config.getoption("loadgroup", None):
        assert request.node.nodeid.endswith("@forgotten_syntax")
