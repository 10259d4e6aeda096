"""What a server shows of itself beside its answers: the addresses that its name leads to, and the certificates of a TLS
handshake by the same way and with the same trust as requests.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address

import pycurl
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256

from webkeep.fetch.addresses import authority_of, host_of
from webkeep.fetch.client.handle_pool import set_curl_route
from webkeep.fetch.client.tls_trust import set_curl_trust
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import UpstreamProxy, parse_proxy
from webkeep.model import Clock, Moment

_GIVEN_NAMES = "given by --resolve"
_NAME_SECONDS = 10.0
"""For the addresses of a name that was asked for moments before."""
_HANDSHAKE_SECONDS = 15
"""For one connection, its handshake included; libcurl counts whole ones."""
_DISTRUST_CODES = frozenset({pycurl.E_PEER_FAILED_VERIFICATION, pycurl.E_SSL_ISSUER_ERROR})
"""What libcurl says where a certificate is not trusted, or is another host's; all else is a handshake that failed."""
_MAX_CERTIFICATES = 20
"""Of one chain; no earnest one has half as many."""


@dataclass(frozen=True, slots=True)
class SeenCertificate:
    """A certificate of a chain."""

    subject: str
    issuer: str
    serial: str
    """In hexadecimal digits."""
    valid_from: Moment
    valid_until: Moment
    sha256: str
    """The fingerprint, over its DER form."""
    pem: str
    names: tuple[str, ...] = ()
    """The hosts that it is for."""

    def is_valid_at(self, moment: Moment) -> bool:
        """Whether a moment lies in the time that it is for."""
        return self.valid_from <= moment <= self.valid_until


@dataclass(frozen=True, slots=True)
class OriginSurvey:
    """What a server showed of itself."""

    origin: str
    """Scheme, host and port."""
    moment: Moment
    addresses: tuple[str, ...] = ()
    """All that its name led to."""
    names_by: str = "this machine's resolver"
    """Who said so."""
    trouble: str = ""
    """What could not be found out, and why."""
    is_trusted: bool | None = None
    """Whether its chain leads to an authority that is trusted here, for this name; None without TLS, and where
    no handshake came about."""
    chain: tuple[SeenCertificate, ...] = ()
    """Its own certificate first."""

    @property
    def is_address_given(self) -> bool:
        """Whether whoever asked said where it is, and no name server."""
        return self.names_by == _GIVEN_NAMES

    @property
    def is_encrypted(self) -> bool:
        """Whether it is spoken to by TLS."""
        return self.origin.startswith("https:")


def survey_origin(origin: str, settings: FetchSettings, clock: Clock) -> OriginSurvey:
    """Look up the addresses of an origin, and shake hands with it where it speaks TLS."""
    moment = clock.now()
    addresses, names_by, trouble = _find_addresses(origin, settings)
    if not origin.startswith("https:"):
        return OriginSurvey(origin, moment, addresses, names_by, trouble)
    chain, is_trusted, failure = _shake_hands(origin, settings, verified=True)
    if is_trusted is False and not chain:
        chain, _, _ = _shake_hands(origin, settings, verified=False)
    told = "; ".join(filter(None, (trouble, failure)))
    return OriginSurvey(origin, moment, addresses, names_by, told, is_trusted, chain)


def _find_addresses(origin: str, settings: FetchSettings) -> tuple[tuple[str, ...], str, str]:
    """The addresses of an origin, who told them, and what went wrong."""
    host, port = host_of(authority_of(f"{origin}/")), _port_of(origin)
    given = [text.split(":", 2)[2] for text in settings.resolve if text.lower().startswith(f"{host.lower()}:{port}:")]
    if given:
        return tuple(given), _GIVEN_NAMES, ""
    if settings.proxy:
        return (), "the proxy", ""
    if _is_address(host):
        return (host,), "it is an address itself", ""
    pool = ThreadPoolExecutor(1)
    try:
        found = pool.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM).result(_NAME_SECONDS)
    except (OSError, TimeoutError) as error:
        return (), "this machine's resolver", f"the name could not be looked up again: {error or 'no answer in time'}"
    finally:
        pool.shutdown(wait=False)
    return tuple(dict.fromkeys(str(each[4][0]) for each in found)), "this machine's resolver", ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _port_of(origin: str) -> int:
    scheme, _, rest = origin.partition("://")
    _, colon, port = rest.rpartition(":")
    return int(port) if colon and port.isdecimal() else 443 if scheme == "https" else 80


def _shake_hands(
    origin: str, settings: FetchSettings, verified: bool
) -> tuple[tuple[SeenCertificate, ...], bool | None, str]:
    """The chain that a server shows, whether it is trusted (None: no handshake came about), and why it is not."""
    proxy: UpstreamProxy | None = parse_proxy(settings.proxy) if settings.proxy else None
    curl = pycurl.Curl()
    try:
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.CONNECT_ONLY, 1)
        curl.setopt(pycurl.OPT_CERTINFO, 1)
        curl.setopt(pycurl.URL, f"{origin}/")
        curl.setopt(pycurl.CONNECTTIMEOUT, _HANDSHAKE_SECONDS)
        curl.setopt(pycurl.TIMEOUT, _HANDSHAKE_SECONDS)
        set_curl_trust(curl, settings, verified)
        set_curl_route(curl, settings, proxy)
        try:
            curl.perform()
        except pycurl.error as error:
            code, reason = error.args if len(error.args) > 1 else (0, error)
            return tuple(_read_chain(curl)), False if code in _DISTRUST_CODES else None, str(reason)
        return tuple(_read_chain(curl)), True, ""
    finally:
        curl.close()


def _read_chain(curl: pycurl.Curl) -> Iterator[SeenCertificate]:
    for facts in curl.getinfo(pycurl.INFO_CERTINFO)[:_MAX_CERTIFICATES]:
        for name, value in facts:
            if name == "Cert":
                yield _read_certificate(value)


def _read_certificate(pem: str) -> SeenCertificate:
    seen = x509.load_pem_x509_certificate(pem.encode())
    return SeenCertificate(
        seen.subject.rfc4514_string(),
        seen.issuer.rfc4514_string(),
        f"{seen.serial_number:x}",
        Moment.from_datetime(seen.not_valid_before_utc),
        Moment.from_datetime(seen.not_valid_after_utc),
        seen.fingerprint(SHA256()).hex(),
        pem,
        tuple(_read_names(seen)),
    )


def _read_names(seen: x509.Certificate) -> Iterator[str]:
    try:
        names = seen.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return
    yield from (str(each.value) for each in names)
