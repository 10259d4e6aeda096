import pytest

from webkeep.errors import UsageError
from webkeep.replay.front import Front
from webkeep.replay.locks import replay_locks

LABEL = "20240301120000h-example-org"


def test_a_server_on_loopback_has_several_names_and_replay_hosts_below_one() -> None:
    front = Front.read("http://localhost:8080")
    assert all(front.is_control(host) for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080"))
    assert not any(
        front.is_control(host) for host in ("localhost", "localhost:80", "evil:8080", f"{LABEL}.localhost:8080")
    )
    replayed = front.replayed(f"{LABEL}.localhost:8080")
    assert replayed is not None
    assert replayed.origin == "http://example.org"
    assert front.replayed(f"{LABEL}.evil:8080") is None
    assert front.replayed("x.localhost:8080") is None
    assert front.replayed(f"{LABEL}.x.localhost:8080") is None


def test_a_deployed_server_has_one_name() -> None:
    front = Front.read("https://archive.example.org", "ksecret")
    assert front.root == "https://archive.example.org"
    assert not front.is_control("localhost")
    assert front.replayed(f"{LABEL}.archive.example.org") is None
    assert front.replayed(f"{LABEL}.ksecret.archive.example.org") is not None
    assert dict(replay_locks(front))["Connection-Allowlist"].startswith(
        '(response-origin "https://*.ksecret.archive.example.org")'
    )


@pytest.mark.parametrize("base", ["", "localhost", "ftp://a/", "javascript:x", "http://"])
def test_a_base_is_an_address(base: str) -> None:
    with pytest.raises(UsageError):
        Front.read(base)
