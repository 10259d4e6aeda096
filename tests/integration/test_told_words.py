"""What the program says, where it once said something that was not so or meant nothing."""

from pathlib import Path

import pytest
from capture_calls import capture
from serve_calls import page
from small_site import Page, SmallSite, linking
from warc_material import webkeep

from webkeep.cli.main import main
from webkeep.store.archive import WritableArchive


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """An archive of a site without scripts, captured as the default is; no browser is needed for that."""
    with SmallSite({"/": linking("/a"), "/a": Page(b"a")}) as site:
        assert webkeep("capture", site.url(), "--into", tmp_path / "archive").code == 0
    return tmp_path / "archive"


def test_outcomes_are_named_as_they_are_given(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(plain), "--outcome", "foo"]) == 2
    said = capsys.readouterr().err
    assert "Outcome." not in said
    assert "stored" in said


def test_a_capture_with_the_default_is_not_told_to_use_it(plain: Path, tmp_path: Path) -> None:
    for done in (
        webkeep("report", plain, "--states", as_json=False),
        webkeep("export", plain, "--states", tmp_path / "states.json", as_json=False),
    ):
        assert "captured with --browser auto, which runs pages with scripts alone" in done.err


def test_a_capture_without_a_browser_is_told_of_it(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"a")}) as site:
        capture(tmp_path / "archive", site.url())
    done = webkeep("report", tmp_path / "archive", "--states", as_json=False)
    assert "webkeep capture --browser auto runs pages that need it" in done.err


def test_single_visits_without_dates_are_not_together_by_dates(plain: Path) -> None:
    done = webkeep("certify", plain, as_json=False)
    assert "nothing is certified of them together" in " ".join(done.out.decode().split())
    assert b"by dates" not in done.out


def test_an_unfinished_capture_has_no_bytes(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive:
        begun = archive.begin("capture", ["http://example.org/"])
        begun.append(page("http://example.org/", "20240301120000", "front"))
    done = webkeep("certify", tmp_path / "archive", as_json=False)
    assert done.code == 1
    assert f"capture {begun.id}: it did not come to its end; the command that began it goes on with it" in done.err
    assert "byte 0" not in done.err


def test_a_broken_package_is_advised_on_once(tmp_path: Path) -> None:
    broken = tmp_path / "broken.wacz"
    broken.write_bytes(b"PK\3\4 cut short")
    done = webkeep("serve", broken, "--port", "0", as_json=False)
    assert (done.code, done.err.count("get the file again")) == (2, 1), done.err
