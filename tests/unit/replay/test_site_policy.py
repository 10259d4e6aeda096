import pytest

from webkeep.model import Headers
from webkeep.replay.shim import Naming
from webkeep.replay.site_policy import site_policies

PATTERN = "http://*.localhost:8080"
OWN = "http://20240301120000h-example-org.localhost:8080"
CDN = "20240301120000{}-cdn-example.localhost:8080"


def policy(written: str) -> list[str]:
    naming = Naming("http://localhost:8080", "20240301120000")
    headers = Headers((("Content-Security-Policy", written),))
    return [value for _, value in site_policies(headers, PATTERN, naming, OWN)]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("img-src 'self' data:", "img-src 'self' data:"),
        ("img-src https://cdn.example/pictures/", f"img-src http://{CDN.format('s')}"),
        ("img-src cdn.example", f"img-src http://{CDN.format('h')} http://{CDN.format('s')}"),
        ("img-src *", f"img-src {PATTERN}"),
        ("img-src https: *.cdn.example", f"img-src {PATTERN}"),
        ("IMG-SRC 'none'; img-src *", "img-src 'none'"),
        ("img-src javascript:", "img-src 'none'"),
        ("script-src 'nonce-abc' 'self'", f"script-src 'nonce-abc' 'self' {OWN}/.webkeep/"),
        ("script-src 'none'", f"script-src {OWN}/.webkeep/"),
        ("script-src 'sha256-AAAA'", "script-src * data: blob: 'unsafe-inline' 'unsafe-eval'"),
        ("script-src 'strict-dynamic' 'nonce-a'; img-src 'self'",
         "script-src * data: blob: 'unsafe-inline' 'unsafe-eval'; img-src 'self'"),
        ("upgrade-insecure-requests; report-uri http://evil.example/; frame-ancestors 'none'; sandbox", ""),
        ("default-src 'sha256-AAAA'; img-src 'self'", ""),
        ("", ""),
        (";;; ;", ""),
        ("img-src " + "a.example " * 3000, ""),
    ],
)  # fmt: skip
def test_what_can_hold_holds(written: str, kept: str) -> None:
    assert policy(written) == ([kept] if kept else [])
