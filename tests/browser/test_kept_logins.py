"""Logins: made in a browser, used by both tiers of a capture, kept out of its records, and known when they end."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from kept_states import captured

from webkeep.browser.command import find_program
from webkeep.cli.command import main
from webkeep.crawl.login import read_login, save_login
from webkeep.model import Outcome
from webkeep.store.archive import Archive

pytestmark = pytest.mark.xdist_group("chromium")

SECRET = "only-for-members"
PAGE = b"""<!doctype html><title>Members</title><a href="/next">next</a><p id="out"></p><script>
fetch(['', 'inside'].join('/') + '.json').then((answer) => answer.text()).then((text) => {
  document.getElementById('out').textContent = text;
});</script>"""


@contextmanager
def members_site() -> Iterator[str]:
    """A site that shows its pages to members, and sends all others to where they log in."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/login":
                self._say(200, b"<title>Log in</title>", ("Set-Cookie", f"member={SECRET}; Path=/"))
            elif self.path == "/robots.txt":
                self._say(404, b"")
            elif f"member={SECRET}" not in self.headers.get("Cookie", ""):
                self._say(302, b"", ("Location", f"/login?next={self.path}"))
            else:
                self._say(200, b"inside" if self.path.endswith("json") else PAGE)

        def _say(self, status: int, data: bytes, *fields: tuple[str, str]) -> None:
            self.send_response(status)
            for name, value in (("Content-Type", "text/html"), ("Content-Length", str(len(data))), *fields):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def cookie(value: str) -> dict[str, object]:
    return {"name": "member", "value": value, "domain": "127.0.0.1", "path": "/", "expires": -1}


def test_a_login_serves_both_tiers_and_stays_out_of_the_archive(tmp_path: Path) -> None:
    with members_site() as home:
        save_login(tmp_path / "login", f"{home}/login", [cookie(SECRET)])
        done = captured(
            f"{home}/", tmp_path / "kept", browser_profile=str(tmp_path / "login"), states=0, sitemaps=False
        )
    assert done.finished
    with Archive(tmp_path / "kept") as archive:
        held = {each.url.removeprefix(home): each.status for each in archive}
    assert held["/"] == held["/next"] == held["/inside.json"] == 200
    files = list((tmp_path / "kept/warcs").iterdir())
    assert files
    assert not any(SECRET.encode() in gzip.decompress(file.read_bytes()) for file in files)


def test_a_login_that_has_ended_pauses_the_capture(tmp_path: Path) -> None:
    with members_site() as home:
        save_login(tmp_path / "login", f"{home}/login", [cookie("long ago")])
        said = {"browser_profile": str(tmp_path / "login"), "states": 0, "sitemaps": False}
        first = captured(f"{home}/", tmp_path / "kept", **said)
        assert not first.finished
        save_login(tmp_path / "login", f"{home}/login", [cookie(SECRET)])
        second = captured(f"{home}/", tmp_path / "kept", **said)
    assert second.resumed
    assert second.finished
    assert second.capture == first.capture
    assert second.counts[Outcome.STORED] >= 2
    assert second.counts[Outcome.FAILED] == 0


def test_cookies_of_a_window_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nexec {find_program(has_window=True)} --headless=new "$@"\n')
    program.chmod(0o755)
    with members_site() as home:
        folder = tmp_path / "login"
        words = ["login", f"{home}/login", "--browser-profile", str(folder), "--browser-program", str(program)]
        assert main([*words, "--seconds", "4"]) == 0, capsys.readouterr().err
    login = read_login(folder)
    assert login.url == f"{home}/login"
    assert {each["name"]: each["value"] for each in login.cookies} == {"member": SECRET}
