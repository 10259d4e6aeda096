"""Programs of many kinds through the recording proxy: each works as it does without it, and all they do is recorded."""

import hashlib
import http.client
import os
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from exchanges import exchanges
from long_recording import LongRun, long_recording
from package_index import index
from stream_server import FILE, PAGE, StreamServer
from test_record_streams import TRUST, tls

PACKAGES = [f"package{number}" for number in range(12)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongRun]:
    with long_recording(tmp_path_factory.mktemp("clients"), *TRUST) as run:
        yield run


@pytest.fixture(scope="module", params=["http", "https"])
def server(request: pytest.FixtureRequest) -> Iterator[StreamServer]:
    with StreamServer(tls() if request.param == "https" else None, index(PACKAGES)) as server:
        yield server


def environment(run: LongRun) -> dict[str, str]:
    """What programs are told of proxies and certificates by."""
    names = {"http_proxy": run.proxy, "https_proxy": run.proxy, "no_proxy": "", "SSL_CERT_FILE": str(run.certificate)}
    return {"PATH": os.environ["PATH"], "HOME": str(run.archive.parent), **names}


CURL = {
    "a page": ((), "", PAGE),
    "HTTP/1.0": (("--http1.0",), "", PAGE),
    "a tunnel": (("--proxytunnel",), "", PAGE),
    "a range": (("-r", "10-19"), "file", FILE[10:20]),
    "a file": ((), "file", FILE),
    "what is missing": ((), "missing", b"nothing here"),
    "a form": (("-d", "a=1&b=2"), "upload", hashlib.sha256(b"a=1&b=2").hexdigest().encode()),
    "a method of one's own": (("-X", "FROB"), "missing", b"nothing here"),
    "many fields": (tuple(word for n in range(50) for word in ("-H", f"X-{n}: {n}")), "", PAGE),
}


@pytest.mark.parametrize(("words", "path", "wanted"), CURL.values(), ids=CURL)
def test_curl(run: LongRun, server: StreamServer, words: tuple[str, ...], path: str, wanted: bytes) -> None:
    done = run.curl(*words, server.url(path))
    assert (done.returncode, done.stdout) == (0, wanted), done.stderr


def test_curl_asks_for_heads(run: LongRun, server: StreamServer) -> None:
    done = run.curl("-I", "--suppress-connect-headers", server.url())
    assert (done.returncode, done.stdout[:15]) == (0, b"HTTP/1.1 200 OK")


def test_curl_uploads_a_file(run: LongRun, server: StreamServer, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(os.urandom(2 << 20))
    for words in (("-T", file), ("-T", file, "-H", "Transfer-Encoding: chunked"), ("-F", f"f=@{file}")):
        done = run.curl(*words, server.url("upload"))
        assert (done.returncode, len(done.stdout)) == (0, 64), done.stderr
        assert done.stdout.decode() == hashlib.sha256(server.uploaded[-1]).hexdigest()


def test_curl_asks_many_at_once(run: LongRun, server: StreamServer, tmp_path: Path) -> None:
    urls = [server.url(f"simple/{name}/") for name in PACKAGES * 5]
    words = [word for number, url in enumerate(urls) for word in ("-o", tmp_path / str(number), url)]
    done = run.curl("--parallel", "--parallel-immediate", *words)
    assert done.returncode == 0, done.stderr
    pages = index(PACKAGES)
    for number, name in enumerate(PACKAGES * 5):
        assert (tmp_path / str(number)).read_bytes() == pages[f"simple/{name}/"][1]


@pytest.mark.parametrize("words", [(), ("--no-http-keep-alive",), ("--spider",), ("--method=DELETE",)], ids=str)
def test_wget(run: LongRun, server: StreamServer, words: tuple[str, ...]) -> None:
    command = ["wget", "-q", "-O", "-", f"--ca-certificate={run.certificate}", *words, server.url()]
    done = subprocess.run(command, env=environment(run), capture_output=True, timeout=60, check=True)
    assert done.stdout == (b"" if words == ("--spider",) else PAGE)


def test_urllib(run: LongRun, server: StreamServer) -> None:
    program = f"import urllib.request; print(len(urllib.request.urlopen({server.url('file')!r}).read()))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment(run), capture_output=True, timeout=60, check=True)
    assert int(done.stdout) == len(FILE)


def test_urllib_is_told_of_errors(run: LongRun, server: StreamServer) -> None:
    proxies = urllib.request.ProxyHandler({"http": run.proxy, "https": run.proxy})
    trust = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=run.certificate))
    opener = urllib.request.build_opener(proxies, trust)
    with pytest.raises(urllib.error.HTTPError, match="404") as error:
        opener.open(server.url("missing"), timeout=30)
    assert error.value.read() == b"nothing here"
    error.value.close()


def test_http_client_keeps_its_connection(run: LongRun, server: StreamServer) -> None:
    is_encrypted = server.url().startswith("https")
    if is_encrypted:
        trust = ssl.create_default_context(cafile=run.certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", run.port, timeout=30, context=trust)
        connection.set_tunnel("127.0.0.1", server.port)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", run.port, timeout=30)
    ports = set()
    for path, body in (("", PAGE), ("file", FILE), ("missing", b"nothing here"), ("", PAGE)):
        connection.request("GET", f"/{path}" if is_encrypted else server.url(path))
        assert connection.getresponse().read() == body
        ports.add(connection.sock.getsockname()[1])
    connection.close()
    assert len(ports) == 1


def test_a_package_manager_loads_its_packages(run: LongRun, server: StreamServer, tmp_path: Path) -> None:
    words = ["--no-cache-dir", "--disable-pip-version-check", "--no-deps", "--dest", str(tmp_path)]
    words += ["--index-url", server.url("simple"), "--trusted-host", "127.0.0.1", *PACKAGES]
    told = environment(run) | {"PIP_CERT": str(run.certificate), "PIP_CONFIG_FILE": os.devnull}
    command = [sys.executable, "-m", "pip", "download", "-q", *words]
    done = subprocess.run(command, env=told, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        f"{name}-1.0-py3-none-any.whl" for name in PACKAGES
    )


def test_a_burst_of_many_clients(run: LongRun, server: StreamServer) -> None:
    """As a package manager does with many packages: everything at once, each over a connection of its own."""
    pages = index(PACKAGES)
    proxies = urllib.request.ProxyHandler({"http": run.proxy, "https": run.proxy})
    trust = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=run.certificate))
    opener = urllib.request.build_opener(proxies, trust)

    def load(path: str) -> bytes:
        with opener.open(server.url(path), timeout=60) as answer:
            return bytes(answer.read())

    with ThreadPoolExecutor(32) as pool:
        for path, body in zip(pages, pool.map(load, list(pages) * 6), strict=False):
            assert body == pages[path][1]
    wheel = f"files/{PACKAGES[0]}-1.0-py3-none-any.whl"
    run.wait_for(server.url(wheel))
    kept = [each for each in exchanges(run.archive) if each.url == server.url(wheel) and each.method == "GET"]
    assert {each.body for each in kept} == {pages[wheel][1]}
