"""Replay hosts: one label for an origin and a moment, and the way back."""

import re

import pytest

from webkeep.replay.shim.replay_host import ReplayHost, ReplayNaming, hash_origin
from webkeep.replay.shim.scripts import shim_script, shim_tag, shim_version, worker_prelude, worker_script
from webkeep.url import parse_url

STAMP = "20240301120000"
LABELS = {
    "https://www.example.com/": "20240301120000s-www-example-com",
    "http://example.com/": "20240301120000h-example-com",
    "http://localhost:8080/": "20240301120000h8080-localhost",
    "https://a-b.c--d.example/": "20240301120000s-a--b-c----d-example",
    "https://bücher.example/": "20240301120000s-xn----bcher--kva-example",
    "http://127.0.0.1/": "20240301120000h-127-0-0-1",
    "http://[::1]:81/": "20240301120000h81x-lm5dumk5",
    "https://a_b.example/": "20240301120000sx-mfpweltfpbqw24dmmu",
    "https://-a.example/": "20240301120000sx-fvqs4zlymfwxa3df",
    "ftp://files.example/": "20240301120000f-files-example",
    "wss://www.example.com/": "20240301120000s-www-example-com",
}


@pytest.mark.parametrize("url", LABELS)
def test_a_label_tells_its_origin(url: str) -> None:
    host = ReplayHost.for_url(parse_url(url), STAMP)
    assert host is not None
    assert host.label == LABELS[url]
    assert ReplayHost.parse(host.label) == host
    assert host.origin == parse_url(url).origin.replace("wss:", "https:")


def test_a_host_too_long_has_its_hash() -> None:
    url = f"https://{'a' * 60}.example.com/x?y#z"
    naming = ReplayNaming("http://localhost:8080", STAMP)
    address = naming.replay_url(url) or ""
    label = address.removeprefix("http://").partition(".")[0]
    host = ReplayHost.parse(label)
    assert len(label) <= 63
    assert host is not None
    assert host.origin == ""
    assert host.origin_hash == hash_origin(parse_url(url).origin) == hash_origin(f"{parse_url(url).origin}:443")
    assert naming.archived_url(address) == ""
    assert naming.archived_url(address, {host.origin_hash: parse_url(url).origin}) == url


@pytest.mark.parametrize(
    "label",
    ["", "www", "20240301120000", "20240301120000s-", "20240301120000q-a", "2024030112000s-a", "20240301120000s-A",
     "20240301120000s-a-", "20240301120000s-a---b", "20240301120000s0-a", "20240301120000s443-a",
     "20240301120000s65536-a",
     "20240301120000sx-mfrgg1", "20240301120000sx-mfrgg", "20240301120000s-1-2-3-4-5",
     "20240301120000sz-short", "20240301120000s-" + "a" * 60],
)  # fmt: skip
def test_what_no_origin_has_is_no_label(label: str) -> None:
    assert ReplayHost.parse(label) is None


def test_options_travel_in_the_label() -> None:
    naming = ReplayNaming("https://replay.example", STAMP, set_clock=True, within_days=7)
    address = naming.replay_url("https://a.example/p%20q?r=%2F#s")
    assert address == "https://20240301120000cw7s-a-example.replay.example/p%20q?r=%2F#s"
    assert naming.archived_url(address) == "https://a.example/p%20q?r=%2F#s"
    host = ReplayHost.parse("20240301120000cw7s-a-example")
    assert host == ReplayHost(STAMP, "https", "a.example", None, True, 7)


@pytest.mark.parametrize("url", ["data:text/html,x", "mailto:a@b.example", "file:///x", "blob:https://a.example/x"])
def test_what_is_not_replayed_has_no_address(url: str) -> None:
    assert ReplayNaming("http://localhost:8080", STAMP).replay_url(url) is None


def test_who_asks_is_no_part_of_an_address() -> None:
    assert (
        ReplayNaming("http://l", STAMP).replay_url("https://me:secret@a.example/x@y")
        == f"http://{STAMP}s-a-example.l/x@y"
    )


def test_scripts_are_ascii_and_whole() -> None:
    for script in (shim_script(), worker_script()):
        assert script.isascii()
        assert script.startswith(b"(() => {")
        assert b"\n//" not in script
    assert re.fullmatch(r"[0-9a-f]{12}", shim_version())


def test_the_tag_cannot_be_broken_out_of() -> None:
    tag = shim_tag("http://a.localhost", 'https://x"><script>alert(1)</script>')
    assert tag.count("<script") == 1
    assert tag.count('"') == 4


@pytest.mark.parametrize(
    ("script", "is_module"),
    [
        (b"onmessage = f", False),
        (b"import('a')", False),
        (b"import.meta", False),
        (b"important = 1", False),
        (b"import a from 'b'", True),
        (b"/* a */ // b\n'use strict';\nimport'b'", True),
        (b"export default 1", True),
        (b"export{a}", True),
    ],
)
def test_a_worker_gets_its_prelude(script: bytes, is_module: bool) -> None:
    prelude = worker_prelude(script, "http://a.localhost", "https://a.example", {"A": "</script>"})
    assert prelude.startswith(b"import ") is is_module
    assert (b"http://a.localhost/.webkeep/worker.js" in prelude) is is_module
    assert (worker_script() in prelude) is not is_module
    assert b"</script>" not in prelude.replace(worker_script(), b"")


@pytest.mark.parametrize(
    ("script", "is_barred"),
    [
        (b"let a = 1;\nimport './b.js';", True),
        (b"a()/**/;import/**/'./b.js'", True),
        (b'{}import"./b.js"', True),
        (b"f(); export * from './b.js'", True),
        (b"onfetch = f", False),
        (b"f(); import('./b.js')", False),
        (b"important(); self.import = exports", False),
        (b"import './b.js'", False),
    ],
)
def test_a_service_worker_that_could_import_before_the_shim_is_no_module(script: bytes, is_barred: bool) -> None:
    made = worker_prelude(script, "http://a.localhost", "https://a.example", {}, is_service=True)
    assert made.startswith(b"<!--") is is_barred
    assert not worker_prelude(script, "http://a.localhost", "https://a.example", {}).startswith(b"<!--")


def test_a_strict_worker_stays_strict() -> None:
    assert worker_prelude(b"/* x */ 'use strict'; f()", "http://a", "https://a", {}).startswith(b"'use strict';")
    assert not worker_prelude(b"f('use strict')", "http://a", "https://a", {}).startswith(b"'use strict';")
