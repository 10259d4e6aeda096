"""What workers ask for is captured, of whatever kind they are and wherever their script lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from flavours import FLAVOURS
from kept_states import captured
from speaking_site import Speaker, counting

PAGE = """<!doctype html><title>Workers</title><link rel=icon href=/icon.png><script>
const got = (name) => ({data}) => fetch(['/got', name, data].join('/'));
new Worker('plain.js').onmessage = got('plain');
new Worker('module.js', {type: 'module'}).onmessage = got('module');
new Worker('nesting.js').onmessage = got('nested');
new SharedWorker('shared.js').port.onmessage = got('shared');
navigator.serviceWorker.register('/service.js');
</script>"""
SCRIPTS = {
    "/plain.js": "importScripts('/more.js'); postMessage(word); fetch(['/got', 'inside', word].join('/'))",
    "/more.js": "const word = ['he', 'llo'].join('')",
    "/module.js": "import {word} from './imported.js'; postMessage(word)",
    "/imported.js": "export const word = ['he', 'llo'].join('')",
    "/nesting.js": "new Worker('plain.js').onmessage = ({data}) => postMessage(data)",
    "/shared.js": "onconnect = ({ports}) => ports[0].postMessage(['he', 'llo'].join(''))",
    "/service.js": "oninstall = (event) => event.waitUntil(fetch(['/got', 'service', 'hello'].join('/')))",
}


def answer(speaker: Speaker) -> None:
    if speaker.path in SCRIPTS:
        speaker.say(SCRIPTS[speaker.path].encode(), kind="text/javascript")
    elif speaker.path == "/":
        speaker.say(PAGE.encode())
    else:
        speaker.say(b"got", kind="text/plain", status=404 if speaker.path == "/robots.txt" else 200)


@pytest.mark.parametrize("program", FLAVOURS)
def test_what_workers_have_their_page_ask_for_is_captured(tmp_path: Path, program: str) -> None:
    with counting(answer) as (home, asked):
        done = captured(f"{home}/", tmp_path / "kept", browser="always", sitemaps=False, browser_program=program)
    got = {path for path in asked if path.startswith("/got/")}
    assert got == {f"/got/{each}/hello" for each in ("plain", "inside", "module", "nested", "shared", "service")}
    assert done.browsed is not None
    assert done.browsed.failures == {}
