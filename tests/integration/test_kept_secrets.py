"""Nothing that says who someone is ends in an archive, by whichever way an exchange gets in; nor can others read it."""

import gzip
import json
import os
import socket
import stat
import zlib
from pathlib import Path

from bench.secret_search import find_secrets
from capture_calls import capture, fates, kept
from record_calls import kept as records, recording, requests, responses
from small_site import GONE, Page, SmallSite, linking, moved
from stream_server import StreamServer
from warc_material import webkeep

from webkeep.formats.http import FRAMES_TYPE

SECRET = "geheim-7Q-x"


def modes(archive: Path) -> set[int]:
    """The modes of all files, and those of all folders."""
    return {stat.S_IMODE(each.stat().st_mode) for each in (archive, *archive.rglob("*"))}


def test_a_recording_keeps_none(tmp_path: Path) -> None:
    fields = {
        "Location": f"/next?token={SECRET}",
        "Content-Location": f"/here?token={SECRET}",
        "Refresh": f"1; url=/there?token={SECRET}",
        "Link": f"</style.css?token={SECRET}>; rel=preload",
        "Set-Cookie": f"session={SECRET}",
    }

    def answers(_: str, path: str) -> Page:
        return Page(b"moved", "text/plain", 302, fields) if path.startswith("/reset") else Page(b"here", "text/plain")

    with SmallSite(answers) as site, recording(tmp_path, "--private") as run:
        assert run.curl(site.url(f"/reset?token={SECRET}")).returncode == 0
        for number in range(3):
            run.curl(site.url(f"/{number}"), "--referer", site.url(f"/reset?token={SECRET}"))
        host = f"Host: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n".encode()
        for raw in ("ü".encode(), "ü".encode("latin-1")):
            target = site.url("/raw?name=").encode() + raw + f"&password={SECRET}".encode()
            run.ask(b"GET " + target + b" HTTP/1.1\r\n" + host)
        run.until("stored")
        summary = run.end()
    assert summary["stored"] + summary["duplicates"] == 6
    assert find_secrets(run.archive, [SECRET]) == {}
    assert modes(run.archive) == {0o600, 0o700}
    assert site.url("/reset?token=redacted") in fates(run.archive)
    (file,) = (run.archive / "warcs").iterdir()
    assert gzip.decompress(file.read_bytes()).count(b"&password=redacted HTTP/1.1\r\n") == 2


def test_what_is_posted_is_in_no_index_either(tmp_path: Path) -> None:
    forms = [
        (
            "application/json",
            json.dumps({"pass\u0077ord": SECRET, "token": [SECRET], "secret": {"k": SECRET}}).encode(),
        ),
        ("application/json; charset=utf-16", json.dumps({"password": SECRET}).encode("utf-16")),
        ("application/json", b'{"pass\\u0077ord": "' + SECRET.encode() + b'"}'),
        ("application/x-www-form-urlencoded", f"pass%77ord={SECRET}&user=me".encode()),
        (
            "multipart/form-data; boundary=XX",
            f'--XX\nContent-Disposition: form-data; name="password"\n\n{SECRET}\n--XX--\n'.encode(),
        ),
    ]
    with StreamServer() as server, recording(tmp_path, "--private") as run:
        for number, (kind, body) in enumerate(forms):
            path = tmp_path / f"form-{number}"
            path.write_bytes(body)
            run.curl(server.url("upload"), "-H", f"Content-Type: {kind}", "--data-binary", f"@{path}")
        packed = tmp_path / "packed"
        packed.write_bytes(gzip.compress(forms[0][1]))
        words = ("-H", "Content-Encoding: gzip", "-H", "Content-Type: application/json")
        run.curl(server.url("upload"), *words, "--data-binary", f"@{packed}")
        packed.write_bytes(b"\x00\x01\x02 nobody can read this")
        run.curl(server.url("login"), "-H", "Content-Encoding: odd", "-H", "Content-Type: application/json",
                 "--data-binary", f"@{packed}")  # fmt: skip
        summary = run.end()
    assert len(server.uploaded) >= len(forms) + 1, "what passes is not touched"
    assert any(SECRET.encode() in body for body in server.uploaded)
    assert find_secrets(run.archive, [SECRET]) == {}
    assert summary["unread"] == 1
    assert "request-left-out" in " ".join(each.get("text", "") for each in run.events)
    assert run.process.returncode == 1
    assert b"redacted" in (run.archive / "index" / "index.sqlite").read_bytes()


def test_a_websocket_is_kept_without_them(tmp_path: Path) -> None:
    packer = zlib.compressobj(wbits=-15)
    message = packer.compress(json.dumps({"type": "auth", "token": SECRET}).encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
    with StreamServer() as server, recording(tmp_path, "--private") as run:
        with socket.create_connection(("127.0.0.1", run.port), timeout=20) as client:
            fields = {
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol": f"graphql-ws, {SECRET}",
            }
            lines = [f"{name}: {value}" for name, value in fields.items()]
            first = f"GET {server.url(f'socket?token={SECRET}')} HTTP/1.1"
            client.sendall("\r\n".join([first, f"Host: 127.0.0.1:{server.port}", *lines, "", ""]).encode())
            _until(client, b"\r\n\r\n")
            for first_byte, payload in (
                (0x81, f'{{"token": "{SECRET}", "say": "hello"}}'.encode()),
                (0xC1, message[:-4]),
                (0x01, f'{{"token": "{SECRET[:4]}'.encode()),
                (0x80, f'{SECRET[4:]}", "n": 1}}'.encode()),
            ):
                client.sendall(_masked(first_byte, payload))
            client.sendall(_masked(0x88, b"\x03\xe8"))
            _until(client, b"\x88\x02\x03\xe8")
        run.until("stored")
        run.end()
    (frames,) = [each for each in _resources(run.archive) if each["type"] == FRAMES_TYPE]
    assert frames["url"] == server.url("socket?token=redacted").replace("http", "ws", 1)
    sent = [json.loads(line) for line in frames["body"].splitlines()]
    texts = [each["text"] for each in sent if each["from"] == "client" and "text" in each]
    assert texts == [
        '{"token": "[redacted]", "say": "hello"}', '{"type": "auth", "token": "[redacted]"}',
        '{"token": "[redacted]", "n": 1}', "",
    ]  # fmt: skip
    assert find_secrets(run.archive, [SECRET]) == {}


def test_a_capture_with_credentials_keeps_none_and_nobody_else_reads_it(tmp_path: Path) -> None:
    archive, jar, saved = tmp_path / "archive", tmp_path / "cookies.txt", tmp_path / "saved.txt"
    saved.write_text("# others may read this")
    saved.chmod(0o644)

    def answers(_: str, path: str) -> Page:
        pages = {
            "/": linking("/in", "/logout", "/account?action=logout", "/jump"),
            "/in": Page(b"<a href=/file?lang=de>x</a>", headers={"Set-Cookie": f"again={SECRET}-again"}),
            "/jump": moved(f"/file?token={SECRET}-url&n=1"),
            f"/file?token={SECRET}-url&n=1": linking("/behind"),
        }
        return pages.get(path, GONE if "logout" in path else Page(b"here", "text/plain"))

    with SmallSite(answers) as site:
        jar.write_text(f"127.0.0.1\tFALSE\t/\tFALSE\t0\tmember\t{SECRET}-cookie\n")
        words = ["--cookies", jar, "--save-cookies", saved, "--auth", f"127.0.0.1=me:{SECRET}-auth"]
        done = capture(archive, site.url(), *words, "--header", f"X-Mine: {SECRET}-header", "--no-sitemaps")
    assert done.code == 0, done.err
    assert f"/file?token={SECRET}-url&n=1" in site.paths, "it is asked for as it is"
    assert "/behind" in site.paths
    assert any(f"member={SECRET}-cookie" in each.get("cookie", "") for each in site.fields)
    assert not any("logout" in path for path in site.paths)
    assert site.url("/file?token=redacted&n=1") in kept(archive)
    said = fates(archive)
    assert said[site.url("/logout")][0] == "out-of-scope"
    assert "would end the login" in said[site.url("/logout")][1]
    assert find_secrets(archive, [SECRET]) == {}
    assert SECRET not in done.err + done.out.decode()
    assert modes(archive) == {0o600, 0o700}
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_a_key_that_is_given_is_nowhere(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/a")}) as site:
        words = ("--redact", "--header", f"X-Api-Key: {SECRET}", "--no-sitemaps")
        done = capture(tmp_path / "archive", site.url(), *words)
    assert done.code == 0, done.err
    assert [each.get("x-api-key") for each in site.fields][-2:] == [SECRET] * 2, "servers are told"
    assert find_secrets(tmp_path / "archive", [SECRET]) == {}
    assert SECRET not in done.err + done.out.decode()
    sent = [each.head + each.body for each in requests(tmp_path / "archive") if not each.url.endswith("robots.txt")]
    assert len(sent) == 2
    assert all(b"X-Api-Key: [redacted]" in each for each in sent)


def test_both_tiers_and_the_proxy_leave_out_the_same_fields(tmp_path: Path) -> None:
    """One exchange with everything in it that says who someone is, and with as much that does not."""
    told = {
        "Set-Cookie": f"session={SECRET}", "X-Csrf-Token": SECRET, "X-Plain": "plain",
        "Location": f"/next?token={SECRET}", "Link": f"</a.css?access_token={SECRET}>; rel=preload",
    }  # fmt: skip
    given = [f"{name}: {SECRET}" for name in ("X-Api-Key", "X-Auth-Token", "Private-Token", "X-Goog-Api-Key")]
    given += [f"Authorization: Bearer {SECRET}", f"Cookie: member={SECRET}", "Accept-Language: de"]
    words = [word for field in given for word in ("--header", field)]
    with SmallSite(lambda _, path: Page(b"here", "text/plain", headers=told)) as site:
        assert capture(tmp_path / "fast", site.url(), *words, "--redact", "--no-sitemaps").code == 0
        with recording(tmp_path, "--private") as run:
            run.curl(site.url(), *(word for field in given for word in ("-H", field)))
            run.until("stored")
            run.end()
    names = {field.partition(":")[0] for field in given} | set(told)
    fast, proxied = (_fields_at(archive, site.url(), names) for archive in (tmp_path / "fast", run.archive))
    assert fast == proxied
    assert len(fast) == len(names)
    assert {fast["X-Plain"], fast["Accept-Language"]} == {"plain", "de"}
    assert find_secrets(tmp_path / "fast", [SECRET]) == find_secrets(run.archive, [SECRET]) == {}


def _fields_at(archive: Path, url: str, names: set[str]) -> dict[str, str]:
    """These fields of request and response, as they are recorded."""
    messages = [each for each in (*requests(archive), *responses(archive)) if each.url == url]
    assert len(messages) == 2
    lines = b"\r\n".join(each.head + b"\r\n" + each.body for each in messages).decode().split("\r\n")
    pairs = (line.partition(": ")[::2] for line in lines)
    return {name: value for name, value in pairs if name in names}


def test_what_was_asked_for_is_done_all_the_same(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/logout", "/a")}) as site:
        words = ("--header", "Authorization: Bearer abc", "--no-sitemaps")
        capture(tmp_path / "a", site.url(), *words, "--include", "*logout*", "--no-redact")
        assert "/logout" in site.paths
        assert any(b"Bearer abc" in each.body + each.head for each in requests(tmp_path / "a"))
        capture(tmp_path / "b", site.url(), "--header", "Accept-Language: de", "--no-sitemaps")
    assert site.paths[-3:].count("/logout") == 1, "nobody is logged in"
    assert any(b"Accept-Language: de" in each.head + each.body for each in requests(tmp_path / "b"))
    shared = 0o666 & ~_umask()
    assert stat.S_IMODE((tmp_path / "b" / "archive.toml").stat().st_mode) == shared


def test_a_private_archive_stays_so(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with SmallSite({"/": linking("/a")}) as site:
        capture(archive, site.url(), "--header", "Authorization: Bearer abc", "--no-sitemaps")
        (archive / "catalog.sqlite").unlink()
        assert webkeep("rebuild", archive).code == 0
        capture(archive, site.url("/a"), "--new", "--no-sitemaps")
    assert modes(archive) == {0o600, 0o700}


def test_imported_records_lose_them_where_that_is_wished(tmp_path: Path) -> None:
    with SmallSite({"/": linking(f"/a?token={SECRET}")}) as site:
        words = ("--header", f"Cookie: member={SECRET}", "--no-redact", "--no-sitemaps")
        capture(tmp_path / "a", site.url(), *words)
    assert find_secrets(tmp_path / "a" / "warcs", [SECRET])
    files = sorted((tmp_path / "a" / "warcs").iterdir())
    done = webkeep("import", *files, "--into", tmp_path / "b", "--redact")
    assert done.code == 0, done.err
    held = find_secrets(tmp_path / "b", [SECRET])
    pages = [each for each in responses(tmp_path / "b") if SECRET.encode() in each.body]
    assert [each.url for each in pages] == [site.url()], "pages are what they were"
    assert all(path.startswith("warcs/") for paths in held.values() for path in paths)
    assert site.url("/a?token=redacted") in kept(tmp_path / "b")
    assert all(b"Cookie: [redacted]" in each.head + each.body for each in requests(tmp_path / "b"))
    assert webkeep("verify", tmp_path / "b").code == 0
    assert webkeep("import", *files, "--into", tmp_path / "b", "--redact").summary["stored"] == 0


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _masked(first: int, payload: bytes) -> bytes:
    key = b"\x01\x02\x03\x04"
    length = bytes([0x80 | len(payload)])
    return bytes([first]) + length + key + bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))


def _until(client: socket.socket, end: bytes) -> bytes:
    data = b""
    while end not in data:
        chunk = client.recv(65536)
        assert chunk, data
        data += chunk
    return data


def _resources(archive: Path) -> list[dict[str, str]]:
    return [
        {"url": each.url, "type": each.fields["Content-Type"], "body": each.body.decode()}
        for each in records(archive)
        if each.kind == "resource"
    ]
