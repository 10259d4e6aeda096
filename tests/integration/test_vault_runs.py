"""Runs of `webkeep vault protect` that are killed while they write pages, or come while another one is at work."""

import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from vault_site import describe_tree, write_application, write_site
from warc_material import webkeep

from webkeep.vault.protection.folder_lock import lock_folder

KILLED_AT_A_PAGE = """
import os, signal, sys
from webkeep.cli.main import main
from webkeep.process import atomic_files
move = atomic_files._move_in_place
def move_or_die(part, path, replace):
    if path.name == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
    move(part, path, replace)
atomic_files._move_in_place = move_or_die
main(sys.argv[2:])
"""
FOREIGN = (".notes.txt.0123456789abcdef.part", "index.html.part", ".draft.html.part")
"""Files of a person that are called nearly so."""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A call that protects a tree in place."""
    site, application = write_site(tmp_path / "site"), write_application(tmp_path / "app")
    words = ["vault", "protect", tmp_path / "vault", "--component", application, "--tree", site, "--unencrypted",
             "--vault-pages", "kept", "--raw-files", "raw", "--site", "http://lost.example/"]  # fmt: skip
    return list(map(str, words))


def unfinished(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.part") if path.name not in FOREIGN]


@pytest.mark.parametrize("killed_at", ["7.html", "part-0001.html", "app.txt", "vault.json"])
def test_what_a_killed_run_left_is_taken_up_by_the_next(tmp_path: Path, words: list[str], killed_at: str) -> None:
    for name in FOREIGN:
        (tmp_path / "site" / name).write_text("mine")
    killed = subprocess.run([sys.executable, "-c", KILLED_AT_A_PAGE, killed_at, *words], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(unfinished(tmp_path)) == 1
    assert webkeep(*words).code == 0
    assert unfinished(tmp_path) == []
    assert [(tmp_path / "site" / name).read_text() for name in FOREIGN] == ["mine"] * 3
    assert webkeep("vault", "recover", tmp_path / "site", "--into", tmp_path / "back").code == 0
    assert describe_tree(tmp_path / "back/app") == describe_tree(tmp_path / "app")


def test_a_copy_has_nothing_of_what_a_killed_run_left_in_the_tree(tmp_path: Path, words: list[str]) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED_AT_A_PAGE, "7.html", *words], check=False).returncode < 0
    assert webkeep(*words, "--into", tmp_path / "public").code == 0
    assert unfinished(tmp_path / "public") == []
    assert unfinished(tmp_path / "site"), "the tree is left as it is where its pages go elsewhere"


class RivalHandler(BaseHTTPRequestHandler):
    """An archive that has another run begin while it is asked."""

    words: ClassVar[list[str]] = []
    rivals: ClassVar[list[subprocess.CompletedProcess[str]]] = []

    def do_GET(self) -> None:
        command = [sys.executable, "-m", "webkeep", *self.words]
        self.rivals.append(subprocess.run(command, capture_output=True, text=True, check=False))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_run_ends_where_another_one_is_not_done_with_its_pages(tmp_path: Path, words: list[str]) -> None:
    RivalHandler.words, RivalHandler.rivals = words, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), RivalHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    (tmp_path / "archives.toml").write_text(
        f'[asked]\nindex = "{address}/cdx"\nsave = "{address}/{{url}}"\nlimits.save = {{ requests = "1/hour" }}\n'
    )
    asking = ["--ask-captures", "asked", "--repositories", tmp_path / "archives.toml", "--ledger", tmp_path / "ledger"]
    try:
        assert webkeep(*words, *asking).code == 0
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    (rival,) = RivalHandler.rivals
    assert rival.returncode == 3
    assert "is being changed by another run" in rival.stderr
    assert "Traceback" not in rival.stderr


def test_two_vaults_do_not_write_one_tree_at_once(tmp_path: Path, words: list[str]) -> None:
    with lock_folder(tmp_path / "site"):
        done = webkeep(*words)
    assert done.code == 3
    assert f"{tmp_path / 'site'} is being changed by another run" in done.err
    assert webkeep(*words).code == 0
