"""Logins: made in a browser, used by both tiers of a capture, kept out of its records, and known when they end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from bench.secret_search import find_secrets
from kept_states import captured
from speaking_site import Speaker, serving
from stream_server import StreamServer

from webkeep.browser.process import find_program
from webkeep.cli.main import main
from webkeep.crawl.plan import save_login
from webkeep.crawl.plan.saved_login import read_login
from webkeep.formats.http import FRAMES_TYPE
from webkeep.model import UrlOutcome
from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note

SECRET = "only-for-members"
TOKEN = "a-long-and-secret-token"
FRESH = "f00d-4-th0ught"
PAGE = b"""<!doctype html><title>Members</title><a href="/next">next</a><p id="out"></p><script>
fetch(['', 'inside'].join('/') + '.json').then((answer) => answer.text()).then((text) => {
  document.getElementById('out').textContent = text;
});</script>"""


LOGIN = f"<title>Log in</title><script>localStorage.setItem('session', '{TOKEN}')</script>".encode()
WRITTEN = b"""<!doctype html><title>Written</title><p id="out"></p><script>
document.getElementById('out').textContent = document.cookie;
const member = document.cookie.split('member=')[1].split(';')[0];
document.body.append(Object.assign(new Image(), {src: ['', 'seen.png?token='].join('/') + member}));
fetch(['', 'again.json?pass%77ord='].join('/') + member).then(() => {
  document.body.append(document.cookie);
});
</script><a href="/logout">leave</a><a href="/next">next</a>"""
TOLD = b"""<!doctype html><title>Members</title><p id="out"></p><button id="more">More</button><script>
const token = JSON.parse(localStorage.getItem('session') || '{}').token || 'none';
document.getElementById('out').textContent = `${localStorage.getItem('theme')} ${token}`;
const ask = (name) => fetch(['', name].join('/'), {headers: {'X-Session': token}});
ask('first.json');
document.getElementById('more').onclick = async () => {
  const answer = await ask('second.json');
  document.getElementById('out').append(await answer.text());
};
localStorage.setItem('visits', 1 + Number(localStorage.getItem('visits')));
</script>"""


@contextmanager
def members_site() -> Iterator[str]:
    """A site that shows its pages to members, and sends all others to where they log in."""

    class Handler(Speaker):
        def answer(self) -> None:
            if self.path == "/login":
                self.say(LOGIN, ("Set-Cookie", f"member={SECRET}; Path=/"))
            elif self.path == "/told":
                self.say(TOLD)
            elif self.path.startswith("/again.json"):
                self.say(b"{}", ("Set-Cookie", f"member={SECRET}; Path=/"), ("Set-Cookie", f"fresh={FRESH}; Path=/"))
            elif self.path == "/written":
                self.say(WRITTEN)
            elif self.headers.get("X-Session"):
                self.say(b"inside", status=200 if self.headers["X-Session"] == TOKEN else 403)
            elif self.path == "/robots.txt":
                self.say(b"", status=404)
            elif f"member={SECRET}" not in self.headers.get("Cookie", ""):
                self.say(b"", ("Location", f"/login?next={self.path}"), status=302)
            else:
                self.say(b"inside" if self.path.endswith("json") else PAGE)

    with serving(Handler) as home:
        yield home


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
    assert find_secrets(tmp_path / "kept", [SECRET]) == {}


def test_local_storage_is_there_before_scripts_run_and_stays_out_of_the_archive(tmp_path: Path) -> None:
    with members_site() as home:
        kept = {"session": f'{{"token": "{TOKEN}"}}', "theme": "dark"}
        save_login(tmp_path / "login", f"{home}/login", [], {home: kept, "http://other.test": {"theme": "no"}})
        said = {"browser": "always", "scope": "page", "sitemaps": False, "screenshots": True, "states": 1}
        done = captured(f"{home}/told", tmp_path / "kept", browser_profile=str(tmp_path / "login"), **said)
    assert done.finished
    with Archive(tmp_path / "kept") as archive:
        held = {each.url.removeprefix(home): each.status for each in archive}
        notes = [read_state_note(archive, entry.place) for entry in find_state_entries(archive)]
    assert held["/first.json"] == held["/second.json"] == 200
    (root,) = [note for note in notes if not note.script]
    assert "dark [redacted]" in str(root.rendered)
    assert find_secrets(tmp_path / "kept", [TOKEN]) == {}


def test_what_a_page_writes_of_a_login_is_noted_nowhere(tmp_path: Path) -> None:
    with members_site() as home:
        save_login(tmp_path / "login", f"{home}/login", [cookie(SECRET)])
        said = {"browser": "always", "scope": "host", "sitemaps": False, "screenshots": True}
        done = captured(f"{home}/written", tmp_path / "kept", browser_profile=str(tmp_path / "login"), **said)
    assert done.finished
    with Archive(tmp_path / "kept") as archive:
        held = {each.url.removeprefix(home): each.status for each in archive}
        notes = [read_state_note(archive, entry.place) for entry in find_state_entries(archive)]
        fates = {fate.url.removeprefix(home): fate.outcome for _, fate in archive.catalog.log.fates(done.capture)}
    assert held["/seen.png?token=redacted"] == 200
    assert held["/again.json?pass%77ord=redacted"] == 200
    assert fates["/logout"] is UrlOutcome.OUT_OF_SCOPE
    (root,) = [note for note in notes if note.page.endswith("/written") and not note.script]
    assert "[redacted]" in str(root.rendered)
    assert f"{home}/seen.png?token=redacted" in root.resources
    assert find_secrets(tmp_path / "kept", [SECRET, FRESH]) == {}


CHAT = b"""<!doctype html><title>Chat</title><p id="out"></p><script>
const member = document.cookie.split('member=')[1].split(';')[0];
const socket = new WebSocket(`ws://${location.host}/socket?token=${member}&room=1`);
socket.onopen = () => socket.send(JSON.stringify({type: 'auth', token: member}));
socket.onmessage = () => { document.getElementById('out').textContent = 'in'; socket.close(1000); };
</script>"""


def test_a_websocket_of_a_page_is_kept_without_what_it_tells(tmp_path: Path) -> None:
    with StreamServer(pages={"chat": (b"text/html", CHAT)}) as server:
        save_login(tmp_path / "login", server.url("chat"), [cookie(SECRET)])
        said = {"browser": "always", "scope": "page", "sitemaps": False, "states": 0}
        done = captured(server.url("chat"), tmp_path / "kept", browser_profile=str(tmp_path / "login"), **said)
    assert done.finished
    assert any(f"GET /socket?token={SECRET}&room=1 ".encode() in head for head in server.asked), "it passes as it is"
    with Archive(tmp_path / "kept") as archive:
        frames = archive.lookup(server.url("socket?token=redacted&room=1").replace("http", "ws", 1))
        assert frames is not None
        assert frames.media_type == FRAMES_TYPE
        sent = b"".join(archive.read(frames).content())
    assert b"auth" in sent
    assert find_secrets(tmp_path / "kept", [SECRET]) == {}


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
    assert second.counts[UrlOutcome.STORED] >= 2
    assert second.counts[UrlOutcome.FAILED] == 0


def test_what_a_window_was_given_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert login.stores == {home: {"session": TOKEN}}
