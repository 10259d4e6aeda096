"""The Python guide's examples say what the code does, and the package opens archives as it says."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import webkeep

GUIDE = Path(__file__).parents[2] / "docs/guide/python.md"


def test_the_examples_of_the_guide_hold(tmp_path: Path) -> None:
    results = doctest.testfile(str(GUIDE), module_relative=False, globs={"path": tmp_path / "harbour"})
    assert results.attempted
    assert not results.failed


def test_importing_the_package_loads_nothing_else() -> None:
    script = "import sys, webkeep; print([name for name in sys.modules if name.startswith(('webkeep.', 'sqlite3'))])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['webkeep.version', 'webkeep.lazy_exports']"


def test_every_name_offered_is_there() -> None:
    assert all(getattr(webkeep, name) is not None for name in webkeep.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = webkeep.Nothing


def test_archives_open_to_read_to_write_and_to_be_made(tmp_path: Path) -> None:
    path = tmp_path / "harbour"
    with pytest.raises(webkeep.WebkeepError, match="is not a webkeep archive"):
        webkeep.open(path)
    with pytest.raises(webkeep.WebkeepError):
        webkeep.open(path, write=True)
    with webkeep.open(str(path), create=True) as made:
        assert isinstance(made, webkeep.WritableArchive)
    with webkeep.open(path, create=True) as again, webkeep.open(path) as reader:
        assert again.name == reader.name == "harbour"
        assert not isinstance(reader, webkeep.WritableArchive)
        assert repr(reader) == f"<Archive 'harbour' at '{path}'>"


def test_a_query_left_halfway_is_no_trouble(tmp_path: Path) -> None:
    with webkeep.open(tmp_path / "a", create=True) as archive, archive.begin("append") as capture:
        for number in range(10):
            capture.append_resource(f"http://example.org/{number}", "text/plain", b"%d" % number)
    with webkeep.open(tmp_path / "a") as archive:
        halfway = iter(archive), archive.entries(), archive.history("example.org/*")
        assert next(halfway[0]).url == "http://example.org/0"
        next(halfway[1])
    del halfway
