"""Policies of archived pages: what was forbidden stays forbidden on the replay hosts, and the shim is let in."""

import pytest

from webkeep.replay.shim.content_policy import translate_policy
from webkeep.replay.shim.replay_host import ReplayNaming

NAMING = ReplayNaming("http://localhost:8080", "20240301120000")
HOME = "http://20240301120000s-a-example.localhost:8080"
CDN = "http://20240301120000s-cdn-example.localhost:8080"
ALL = "http://*.localhost:8080"
OWN = f"{HOME}/.webkeep/"
OTHERS = (
    "; ".join(
        f"{name}-src 'self' {HOME}"
        for name in ("style", "img", "font", "media", "object", "worker", "manifest", "connect")
    )
    + f" {OWN}"
)

POLICIES = {
    "img-src 'self'": f"img-src 'self' {HOME}",
    "img-src cdn.example": f"img-src {CDN}",
    "img-src https://cdn.example/pictures/": f"img-src {CDN}/pictures/",
    "IMG-SRC *.example": f"img-src {ALL}",
    "img-src * data:": f"img-src {ALL} data:",
    "img-src https: http:": f"img-src {ALL}",
    "img-src cdn.example:*": f"img-src {ALL}",
    "img-src 'none'": "img-src 'none'",
    "script-src 'none'": f"script-src {OWN}",
    "script-src 'nonce-x' cdn.example": f"script-src 'nonce-x' {CDN} {OWN}",
    "script-src 'nonce-x' 'strict-dynamic'": f"script-src 'nonce-x' {ALL} {OWN}",
    "script-src 'sha256-x'": f"script-src {ALL} data: blob: 'unsafe-inline' 'unsafe-eval' {OWN}",
    "style-src 'sha256-x'": "style-src 'sha256-x'",
    "default-src 'self'": f"script-src 'self' {HOME} {OWN}; {OTHERS}",
    "default-src 'self'; script-src 'unsafe-inline'": f"script-src 'unsafe-inline' {OWN}; {OTHERS}",
    "default-src 'none'; img-src *; frame-src 'none'": f"img-src {ALL}; script-src {OWN}; style-src 'none'; "
    "font-src 'none'; media-src 'none'; object-src 'none'; worker-src 'none'; manifest-src 'none'; connect-src 'none'",
    "frame-src 'none'; child-src 'self'; fenced-frame-src 'self'": "",
    "connect-src wss://cdn.example": f"connect-src {CDN} {OWN}",
    "connect-src 'none'": "connect-src 'none'",
    "img-src 'self'; img-src *": f"img-src 'self' {HOME}",
    "upgrade-insecure-requests; frame-ancestors 'none'": "",
    "report-uri /r https://cdn.example/r; img-src 'none'": "img-src 'none'",
    "img-src 'none', media-src 'none'": "img-src 'none', media-src 'none'",
    "": "",
    " ; ;, ": "",
    "img-src": "img-src",
    "img-src http://[::1]:81": "img-src http://20240301120000h81x-lm5dumk5.localhost:8080 "
    "http://20240301120000s81x-lm5dumk5.localhost:8080",
    "img-src %% cdn.example": f"img-src {CDN}",
}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_speaks_of_replay_hosts(policy: str) -> None:
    assert translate_policy(policy, "https://a.example/x", NAMING) == POLICIES[policy]


def test_a_page_without_encryption_lets_the_encrypted_in() -> None:
    found = translate_policy("img-src 'self' cdn.example", "http://a.example/", NAMING)
    plain = CDN.replace("00s-", "00h-")
    assert found == f"img-src 'self' {HOME} {plain} {CDN}"


FULL = "default-src " + " ".join(f"a{number}.test" for number in range(1500))


@pytest.mark.parametrize("policy", ["img-src " + "a.example " * 100_000, ";" * 100_000, "'" * 15_000, FULL])
def test_hostile_policies_stay_on_their_line(policy: str) -> None:
    found = translate_policy(policy, "https://a.example/", NAMING)
    assert "\n" not in found
    assert len(found) < 20_000
