"""The local certificate authority: made once, kept from others, believed by those who trust it."""

import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from webkeep.clock import SystemClock
from webkeep.errors import StorageError
from webkeep.fetch.proxy import CertificateAuthority


def greeted(authority: CertificateAuthority, asked: str, name: str) -> None:
    """A handshake in memory, by a client that trusts the authority and wants to talk to a name."""
    client_in, client_out, server_in, server_out = (ssl.MemoryBIO() for _ in range(4))
    trusting = ssl.create_default_context(cadata=authority.pem.decode())
    client = trusting.wrap_bio(client_in, client_out, server_hostname=name)
    server = authority.context_for(asked).wrap_bio(server_in, server_out, server_side=True)
    done = 0
    while done < 2:
        done = 0
        for side in (client, server):
            try:
                side.do_handshake()
                done += 1
            except ssl.SSLWantReadError:
                pass
            server_in.write(client_out.read())
            client_in.write(server_out.read())


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("a.test", "a.test"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("a.test", "b.test"),
        ("x" * 60 + ".test", "c.test"),
    ],
)
def test_clients_that_trust_it_believe_it(tmp_path: Path, asked: str, name: str) -> None:
    greeted(CertificateAuthority(tmp_path, SystemClock()), asked, name)


def test_it_is_made_once_and_its_key_is_kept_from_others(tmp_path: Path) -> None:
    first = CertificateAuthority(tmp_path / "new", SystemClock())
    again = CertificateAuthority(tmp_path / "new", SystemClock())
    assert first.pem == again.pem
    assert first.key_hashes[0] == again.key_hashes[0]
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / "webkeep-authority.key").stat().st_mode & 0o077 == 0


def test_a_broken_one_is_told_in_one_line(tmp_path: Path) -> None:
    CertificateAuthority(tmp_path, SystemClock())
    (tmp_path / "webkeep-authority.key").write_bytes(b"nonsense")
    with pytest.raises(StorageError, match="delete the folder"):
        CertificateAuthority(tmp_path, SystemClock())


def test_those_who_begin_at_once_have_one_authority(tmp_path: Path) -> None:
    """The processes of one server, and whoever asks for the certificate to trust."""
    start = threading.Barrier(8)

    def begin(_: int) -> str:
        start.wait()
        return CertificateAuthority(tmp_path / "authority", SystemClock()).key_hashes[0]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(begin, range(8)))) == 1
