"""What a person says about requests holds for those of the browser too: names, headers, credentials, limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from urllib.parse import unquote

import pytest
from flavours import FLAVOURS
from kept_states import captured
from speaking_site import Speaker, serving

from webkeep.fetch import USER_AGENT
from webkeep.model import UrlOutcome
from webkeep.store.archive import Archive

PAGE = b"""<!doctype html><title>Options</title><p id="out"></p><script>
const at = (name, end) => ['', [name, end].join('.')].join('/');
const worker = new Worker(URL.createObjectURL(new Blob([`onmessage = ({data}) =>
  fetch(data + '/worker?' + encodeURIComponent(navigator.userAgent)).then(() => postMessage(1));`])));
worker.postMessage(location.origin);
fetch('/page'.concat('?') + encodeURIComponent(navigator.userAgent));
fetch(at('digest', 'json')).then((answer) => answer.text()).then((text) => { out.textContent = text; });
fetch(at('sent', 'json'), {method: 'POST', body: 'said=aloud'});
fetch(at('large', 'bin')).then((answer) => answer.arrayBuffer()).catch(() => 0);
</script>"""
CHALLENGE = 'Digest realm="inside", nonce="abc", qop="auth", algorithm=MD5'


@contextmanager
def site() -> Iterator[tuple[str, dict[str, list[Message]], list[bytes]]]:
    """A page that asks for more: its address, the headers with which each path was asked for, and what was sent."""
    asked: dict[str, list[Message]] = defaultdict(list)
    bodies: list[bytes] = []

    class Handler(Speaker):
        def answer(self) -> None:
            if self.command == "POST":
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            asked[self.path].append(self.headers)
            if self.path in ("/digest.json", "/sent.json") and not self.headers.get("Authorization"):
                self.say(b"who?", ("WWW-Authenticate", CHALLENGE), status=401, kind="text/plain")
            elif self.path == "/":
                self.say(PAGE)
            else:
                self.say(b"x" * 40_000 if "large" in self.path else b"in", kind="text/plain")

    with serving(Handler) as home:
        yield home, asked, bodies


@pytest.mark.parametrize("program", FLAVOURS)
def test_what_is_said_of_requests_holds_for_those_of_the_browser(tmp_path: Path, program: str) -> None:
    name = "keeper/1 (of pages)"
    with site() as (home, asked, bodies):
        said = {
            "user_agent": name,
            "headers": ["X-Key: open", "Accept-Language: eo"],
            "max_size": 5000,
            "allow_post": "*sent*",
        }
        done = captured(
            f"{home}/",
            tmp_path / "kept",
            browser="always",
            browser_program=program,
            states=0,
            sitemaps=False,
            auth="127.0.0.1=reader:words",
            **said,
        )
    assert done.finished
    by_script = {path: heads for path, heads in asked.items() if path not in ("/", "/robots.txt")}
    assert {unquote(path) for path in by_script} == {
        f"/page?{name}",
        f"/worker?{name}",
        "/digest.json",
        "/large.bin",
        "/sent.json",
    }
    for heads in asked.values():
        for head in heads:
            assert (head["User-Agent"], head["X-Key"], head["Accept-Language"]) == (name, "open", "eo")
    for path in ("/digest.json", "/sent.json"):
        *challenged, last = by_script[path]  # who was challenged at one path may know what to say at the next
        assert [each["Authorization"] for each in challenged] in ([], [None])
        assert last["Authorization"].startswith('Digest username="reader"')
    assert sum(map(len, by_script.values())) >= 6, "at least once nobody knew beforehand"
    assert bodies[-1] == b"said=aloud"
    with Archive(tmp_path / "kept") as archive:
        (large,) = [each for each in archive if each.url.endswith("/large.bin")]
        assert sum(map(len, archive.read(large).body.chunks())) == 5000
        held = {each.url.removeprefix(home): each.status for each in archive}
        assert held["/digest.json"] == held["/sent.json"] == 200
    assert done.counts[UrlOutcome.FAILED] == 0


def test_the_browser_says_that_it_archives(tmp_path: Path) -> None:
    with site() as (home, asked, _):
        captured(f"{home}/", tmp_path / "kept", browser="always", states=0, sitemaps=False, contact="who@example.org")
    ours = f"{USER_AGENT[:-1]}; +who@example.org)"
    names = {unquote(path.partition("?")[2]) for path in asked if "?" in path}
    assert len(names) == 1
    (name,) = names
    assert name.startswith("Mozilla/5.0 ")
    assert name.endswith(f" {ours}")
    assert {head["User-Agent"] for path in asked if "?" in path for head in asked[path]} == {name}
