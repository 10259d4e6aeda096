"""What servers show of themselves: a certificate that nobody trusts is another thing than a handshake that failed."""

from fetcher_calls import TLS
from raw_server import RawServer
from test_fetcher_ways import serving

from fetch_settings import settings as usual_settings
from webkeep.clock import SystemClock
from webkeep.fetch.client import OriginSurvey, survey_origin
from webkeep.fetch.settings import FetchSettings

TRUSTED = str(TLS / "ca.pem")


def look_at(port: int, settings: FetchSettings) -> OriginSurvey:
    return survey_origin(f"https://site.example:{port}", settings, SystemClock())


def ways_to(port: int, authorities: str = "") -> FetchSettings:
    return usual_settings(resolve=(f"site.example:{port}:127.0.0.1",), certificate_authorities=authorities)


def test_a_certificate_of_an_authority_that_is_trusted_is_trusted() -> None:
    with RawServer(b"", tls=serving("site")) as server:
        seen = look_at(server.port, ways_to(server.port, TRUSTED))
    assert (seen.is_trusted, seen.trouble, seen.addresses) == (True, "", ("127.0.0.1",))
    assert "site.example" in seen.chain[0].names


def test_a_certificate_of_an_authority_that_nobody_trusts_is_not_and_is_kept() -> None:
    with RawServer(b"", b"", tls=serving("site")) as server:
        seen = look_at(server.port, ways_to(server.port))
    assert seen.is_trusted is False
    assert "certificate" in seen.trouble
    assert "site.example" in seen.chain[0].names


def test_where_no_handshake_comes_about_nothing_is_said_of_the_certificate() -> None:
    with RawServer(b"") as server:
        port = server.port
    seen = look_at(port, ways_to(port, TRUSTED))
    assert (seen.is_encrypted, seen.is_trusted, seen.chain) == (True, None, ())
    assert seen.trouble
