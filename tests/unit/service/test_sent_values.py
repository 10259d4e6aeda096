"""What people send may name nothing of this machine, and no private address, in whatever spelling."""

import dataclasses

import pytest

from webkeep.crawl.plan import CapturePlan, parse_plan
from webkeep.errors import UsageError
from webkeep.service.sent_values import _SENDABLE_OPTIONS, check_sent_plan, check_sent_url


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "FILE:/etc/passwd", "ftp://example.org/", "javascript:alert(1)", "data:text/html,x", "gopher://a/",
        "http://127.0.0.1/", "http://localhost:8060/", "http://a.localhost/", "http://0x7f.1/", "http://2130706433/",
        "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://10.1.2.3/", "http://169.254.169.254/latest/", "http://192.168.0.1/",
        "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/", "http://0/", "http://localhost./", "",
        "http://intranet/", "http://ip6-localhost/", "http://printer.local/", "http://metadata.google.internal/",
        "http://user:pw@example.org/", "http://127.0.0.1%2f@example.org/", "http://192.0.0.192/", "x" * 9000, "http://[/",
    ],
)  # fmt: skip
def test_what_is_not_on_the_public_web_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        check_sent_url(url)


def test_the_public_web_passes_and_an_administrator_may_allow_more() -> None:
    assert check_sent_url(" HTTPS://Example.ORG ") == "https://example.org/"
    assert check_sent_url("https://[2606:2800:220:1::1]/") == "https://[2606:2800:220:1::1]/"
    assert check_sent_url("http://127.0.0.1/", is_local_allowed=True) == "http://127.0.0.1/"
    assert check_sent_plan({"dump": ["x"]}, is_local_allowed=True) == {"dump": ["x"]}


OF_THIS_MACHINE = {
    "rates", "weights", "cookies", "save_cookies", "certificate_authorities", "client_certificate", "client_key",
    "browser_program", "browser_profile", "app", "app_dir", "app_python", "files", "dump", "share_hosts", "job",
    "held_in", "proxy", "resolve", "insecure", "credentials", "headers", "hosts", "user_agent", "robots",
    "robots_prefixes", "requisites_exempt", "allow_post", "http2", "ipv6", "rate", "tabs",
}  # fmt: skip
"""Files, programs, addresses, credentials, and what concerns others than who sends it."""


@pytest.mark.parametrize("name", sorted({each.name for each in dataclasses.fields(CapturePlan)} - {"seeds"}))
def test_every_option_of_a_plan_is_either_harmless_or_refused(name: str) -> None:
    """Also one that is added later: what nobody thought of is refused."""
    if name in _SENDABLE_OPTIONS - OF_THIS_MACHINE:
        assert check_sent_plan({name.replace("_", "-"): "x"})[name] in ("x", True)
    else:
        with pytest.raises(UsageError, match=f"^{name} may be said by an administrator alone"):
            check_sent_plan({name: "x"})


def test_a_plan_that_was_sent_is_kept_to_the_public_web_whatever_names_lead_to() -> None:
    plan = parse_plan(check_sent_plan({"seeds": ["https://example.org/"], "depth": 2, "public_only": False}))
    assert plan.public_only
    for seeds in ("file:///etc/", ["https://example.org/", "http://10.0.0.1/"]):
        with pytest.raises(UsageError):
            check_sent_plan({"seeds": seeds})
