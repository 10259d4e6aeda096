"""What commands write: never through a link, and nothing half done is left by whoever ends them."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from serve_calls import archive_of, page
from warc_material import webkeep

PAGES = [page(f"http://example.org/{number}", "2024-01-01", f"<p>page {number}" * 200) for number in range(400)]
TARGETS = {
    "warc": ["export", "ARCHIVE", "--warc", "OUT/file.warc.gz"],
    "wacz": ["export", "ARCHIVE", "--wacz", "OUT/file.wacz"],
    "cdxj": ["export", "ARCHIVE", "--cdxj", "OUT/file.cdxj"],
    "zip": ["mirror", "ARCHIVE", "OUT/copy", "--zip", "OUT/file.zip"],
    "single": ["mirror", "ARCHIVE", "OUT/file.html", "--single-file", "http://example.org/0"],
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive_of(tmp_path_factory.mktemp("files") / "archive", *PAGES)


def words_for(name: str, archive: Path, out: Path) -> list[str]:
    return [word.replace("ARCHIVE", str(archive)).replace("OUT", str(out)) for word in TARGETS[name]]


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
@pytest.mark.parametrize("name", TARGETS)
def test_links_put_where_unfinished_files_were_are_not_followed(
    archive: Path, tmp_path: Path, name: str, link: object
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    assert callable(link)
    words = words_for(name, archive, tmp_path)
    target = next(Path(word) for word in words if "/file." in word)
    for guess in (f".{target.name}.part", f".{target.name}.new", f"{target.name}.part", f"{target.name}.new"):
        link(victim, tmp_path / guess)
    assert webkeep(*words).code in (0, 1)
    assert victim.read_bytes() == b"precious"
    assert target.stat().st_size > 100


class Watching:
    """Tells when something appears in a folder, by asking again and again in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended = False
        self.seen = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Watching":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._thread.join(10)

    def _look(self) -> None:
        while not self._ended and not any(self._folder.iterdir()):
            pass
        self.seen.set()


def left(folder: Path) -> Iterator[str]:
    return (path.name for path in folder.iterdir() if not path.name.startswith(("file.", "copy")))


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("name", ["warc", "wacz", "zip"])
def test_no_signal_leaves_anything_unfinished(archive: Path, tmp_path: Path, name: str, sign: int) -> None:
    command = [sys.executable, "-m", "webkeep", *words_for(name, archive, tmp_path)]
    with Watching(tmp_path) as watching, subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert watching.seen.wait(60)
        process.send_signal(sign)
        _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode in (0, 1, 3, -sign)
    assert (
        process.returncode != 3
        or f"stopped by {'Ctrl-C' if sign == signal.SIGINT else signal.Signals(sign).name}" in err
    )
    assert list(left(tmp_path)) == []
