import pytest

from webkeep.errors import UsageError
from webkeep.replay.server import ServerName
from webkeep.replay.server.security_headers import replay_security_fields

LABEL = "20240301120000h-example-org"


def test_a_server_on_loopback_has_several_names_and_replay_hosts_below_one() -> None:
    front = ServerName.parse("http://localhost:8080")
    assert all(front.is_control_host(host) for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080"))
    assert not any(
        front.is_control_host(host) for host in ("localhost", "localhost:80", "evil:8080", f"{LABEL}.localhost:8080")
    )
    replayed = front.replay_host_of(f"{LABEL}.localhost:8080")
    assert replayed is not None
    assert replayed.origin == "http://example.org"
    assert front.replay_host_of(f"{LABEL}.evil:8080") is None
    assert front.replay_host_of("x.localhost:8080") is None
    assert front.replay_host_of(f"{LABEL}.x.localhost:8080") is None


def test_a_deployed_server_has_one_name() -> None:
    front = ServerName.parse("https://archive.example.org", "ksecret")
    assert front.control_url == "https://archive.example.org"
    assert not front.is_control_host("localhost")
    assert front.replay_host_of(f"{LABEL}.archive.example.org") is None
    assert front.replay_host_of(f"{LABEL}.ksecret.archive.example.org") is not None
    assert dict(replay_security_fields(front))["Connection-Allowlist"].startswith(
        '(response-origin "https://*.ksecret.archive.example.org")'
    )


@pytest.mark.parametrize("base", ["", "localhost", "ftp://a/", "javascript:x", "http://"])
def test_a_base_is_an_address(base: str) -> None:
    with pytest.raises(UsageError):
        ServerName.parse(base)
