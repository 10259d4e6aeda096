"""An archive on loopback whose every corner has a quirk of its own: index servers, TimeMaps and replay, made by hand.

`http://127.0.0.1:PORT/QUIRK/cdx`, `/QUIRK/web/20200101120000id_/URL` and `/QUIRK/timemap/link/URL` are one archive that
holds the same pages as all others, and gets one thing wrong.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from webkeep.model import Moment

SITE = "http://lost.example/"
NAMES = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
HTML = "<!DOCTYPE html><html><title>Sorry</title><p>The archive is resting.</html>"
BANNER = (
    '<script src="//archive.org/includes/analytics.js"></script>\n<!-- End Wayback Rewrite JS Include -->\n'
    "<html><!-- BEGIN WAYBACK TOOLBAR INSERT --><div>40 captures</div><!-- END WAYBACK TOOLBAR INSERT -->\n"
    '<a href="/web/20200101120000/http://lost.example/page-1">one</a>'
    '<img src="http://127.0.0.1/web/20200101120000im_/http://lost.example/picture.png"></html>\n'
    "<!--\n     FILE ARCHIVED ON 12:00:00 Jan 01, 2020 AND RETRIEVED FROM THE\n     INTERNET ARCHIVE.\n-->\n"
)


@dataclass(frozen=True)
class Version:
    """One page as the archive holds it."""

    number: int

    @property
    def url(self) -> str:
        return f"{SITE}page-{self.number}"

    @property
    def key(self) -> str:
        return f"example,lost)/page-{self.number}"

    @property
    def moment(self) -> Moment:
        return Moment.parse("20200101120000").plus(self.number)

    @property
    def body(self) -> bytes:
        return f"<p>page {self.number}".encode()

    @property
    def digest(self) -> str:
        return base64.b32encode(hashlib.sha1(self.body).digest()).decode()

    @property
    def row(self) -> list[str]:
        return [self.key, self.moment.digits(), self.url, "text/html", "200", self.digest, "300"]


VERSIONS = sorted((Version(number) for number in range(25)), key=lambda version: version.key)
URLS = sorted(version.url for version in VERSIONS)


@dataclass
class Asked:
    """A request as a quirk sees it."""

    corner: str
    rest: str
    query: dict[str, str]
    headers: dict[str, str]
    root: str
    times: int
    """How often this corner was asked before."""
    ended: threading.Event
    """Set when those who hang may end."""


@dataclass
class Told:
    """What a quirk answers."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    """How many bytes are announced that never come."""


Quirk = Callable[[Asked], Told]


def page_of(asked: Asked, versions: list[Version] | None = None) -> tuple[list[Version], str]:
    """The versions that a query with a limit and a resume key brings, and the key to go on with."""
    every = VERSIONS if versions is None else versions
    start = int(asked.query.get("resumeKey", "0"))
    end = start + int(asked.query.get("limit", len(every)))
    return every[start:end], str(end) if end < len(every) else ""


def as_list(rows: list[list[str]], key: str = "", lines: bool = True) -> bytes:
    """Rows as the Wayback Machine's server writes them; others write the same in one line."""
    every = [NAMES, *rows, *([[], [key]] if key else [])]
    return ("[" + (",\n" if lines else ",").join(map(json.dumps, every)) + "]\n").encode()


def as_objects(versions: list[Version]) -> bytes:
    names = ["urlkey", "timestamp", "url", "mime", "status", "digest", "length"]
    return b"".join(json.dumps(dict(zip(names, each.row, strict=True))).encode() + b"\n" for each in versions)


def keyed(asked: Asked) -> Told:
    versions, key = page_of(asked)
    return Told(as_list([version.row for version in versions], key))


def replayed(asked: Asked) -> Told:
    version = wanted(asked)
    if version is None:
        return Told(b"<p>not archived", 404)
    return memento(version.body, version)


def wanted(asked: Asked) -> Version | None:
    return next((version for version in VERSIONS if asked.rest.endswith(version.url)), None)


def memento(body: bytes, version: Version, status: int = 200, **more: str) -> Told:
    date = formatdate(version.moment.micros / 1e6, usegmt=True)
    told = {"Memento-Datetime": date, "Content-Type": "text/html", "X-Archive-Orig-Server": "lost/1.0"}
    return Told(body, status, told | {name.replace("_", "-"): value for name, value in more.items()})


def is_index(asked: Asked) -> bool:
    return asked.corner == "cdx"


QUIRKS: dict[str, Quirk] = {}


def quirk(name: str) -> Callable[[Quirk], Quirk]:
    def named(function: Quirk) -> Quirk:
        QUIRKS[name] = function
        return function

    return named


def index_quirk(name: str) -> Callable[[Quirk], Quirk]:
    """A quirk of the index alone; replay is as it should be."""
    return lambda function: quirk(name)(lambda asked: function(asked) if is_index(asked) else replayed(asked))


def replay_quirk(name: str) -> Callable[[Quirk], Quirk]:
    """A quirk of replay alone; the index is as it should be."""
    return lambda function: quirk(name)(lambda asked: keyed(asked) if is_index(asked) else function(asked))


index_quirk("keyed")(keyed)
index_quirk("objects")(lambda _: Told(as_objects(VERSIONS)))
index_quirk("one-line")(lambda _: Told(as_list([version.row for version in VERSIONS], lines=False)))
index_quirk("columns")(lambda _: Told(b"".join(" ".join(each.row).encode() + b"\n" for each in VERSIONS)))
index_quirk("html")(lambda _: Told(HTML.encode(), headers={"Content-Type": "text/html"}))
index_quirk("error-in-200")(lambda _: Told(b'{"message": "Internal error, please come back"}\n'))
index_quirk("robots")(lambda _: Told(b"org.archive.util.io.RuntimeIOException: RobotAccessControlException: Blocked\n"))
index_quirk("forbidden")(lambda _: Told(b"Blocked Site Error", 403))
index_quirk("nothing")(lambda _: Told(b"[]\n"))
index_quirk("nothing-404")(lambda _: Told(b'{"message": "No Captures found for: lost.example"}', 404))
index_quirk("same-key")(lambda _: Told(as_list([version.row for version in VERSIONS[:5]], "7")))
index_quirk("same-rows")(lambda asked: Told(as_list([version.row for version in VERSIONS[:5]], str(asked.times))))
index_quirk("without-end")(lambda _: Told(as_list([version.row for version in VERSIONS[:9]])[:-30]))
index_quirk("cut-off")(lambda _: Told(as_list([version.row for version in VERSIONS])[:1500], cut=500))
index_quirk("moved")(lambda asked: Told(status=301, headers={"Location": "/objects/cdx"}))
index_quirk("moving")(lambda asked: Told(status=302, headers={"Location": f"/moving/cdx?{asked.times % 2}"}))
index_quirk("to-a-strange-place")(lambda _: Told(status=302, headers={"Location": "/objects/cdx?a b|\u00e9"}))
index_quirk("to-a-file")(lambda _: Told(status=302, headers={"Location": "file:///etc/passwd"}))
index_quirk("server-error")(lambda _: Told(b"Internal Server Error", 500))


@index_quirk("limit-without-key")
def _limit_without_key(asked: Asked) -> Told:
    """Knows limits and no keys, as pywb does."""
    return Told(as_objects(VERSIONS[: int(asked.query.get("limit", len(VERSIONS)))]))


@index_quirk("capped")
def _capped(_: Asked) -> Told:
    """A thousand versions of one page, and not a word of there being more."""
    moments = [Moment.parse("20200101120000").plus(number) for number in range(1000)]
    return Told(as_list([["example,lost)/", each.digits(), SITE, "text/html", "200", "-", "1"] for each in moments]))


@index_quirk("bad-dates")
def _bad_dates(asked: Asked) -> Told:
    rows = [version.row for version in VERSIONS]
    rows[0] = [rows[0][0], "20201399256199", *rows[0][2:]]
    rows[3] = [rows[3][0], "yesterday", *rows[3][2:]]
    rows[5] = rows[5][:4]
    return Told(as_list(rows))


@index_quirk("quota-in-the-middle")
def _quota(asked: Asked) -> Told:
    if asked.times == 2:
        return Told(b"Too Many Requests", 429, {"Retry-After": "3600"})
    return keyed(asked)


@index_quirk("hanging")
def _hanging(_: Asked) -> Told:
    return Told(b"" for _ in iter(lambda: HANGING.wait(30), True))


HANGING = threading.Event()
"""Set when those who hang may end."""

replay_quirk("other-bytes")(lambda asked: memento(b"<p>something else", wanted(asked) or VERSIONS[0]))
replay_quirk("short-copy")(
    lambda asked: memento(b"<p>pa", wanted(asked) or VERSIONS[0], X_Archive_Orig_Content_Length="4000")
)
replay_quirk("banner")(lambda asked: memento(BANNER.encode(), wanted(asked) or VERSIONS[0]))
replay_quirk("own-page")(
    lambda _: Told(b"<p>Hrm. This URL has not been archived.", headers={"Content-Type": "text/html"})
)
replay_quirk("listed-and-gone")(lambda _: Told(b"gone", 404))
replay_quirk("held-back")(lambda _: Told(b"This URL has been excluded", 451))
replay_quirk("archived-error")(lambda asked: memento(b"slow down", wanted(asked) or VERSIONS[0], 429))
replay_quirk("bad-memento-date")(
    lambda asked: memento(b"<p>page 0", VERSIONS[0], Memento_Datetime="Thu, 45 Foo 2020 99:00:00 GMT")
)
replay_quirk("circle")(lambda asked: Told(status=302, headers={"Location": f"/circle/web/{asked.rest}"}))


@replay_quirk("nearest")
def _nearest(asked: Asked) -> Told:
    """Redirects to the capture it has, one day later than the one that is listed."""
    if asked.rest.startswith("20200102"):
        version = wanted(asked) or VERSIONS[0]
        told = memento(version.body, version)
        told.headers["Memento-Datetime"] = formatdate(version.moment.micros / 1e6 + 86400, usegmt=True)
        return told
    digits, _, url = asked.rest.partition("id_/")
    return Told(status=302, headers={"Location": f"/nearest/web/20200102{digits[8:]}id_/{url}"})


@replay_quirk("archived-redirect")
def _archived_redirect(asked: Asked) -> Told:
    to = f"{asked.root}/archived-redirect/web/20200101120000id_/{SITE}elsewhere"
    return memento(b"", wanted(asked) or VERSIONS[0], 301, Location=to)


@replay_quirk("turned-away-once")
def _turned_away_once(asked: Asked) -> Told:
    return Told(b"", 429, {"Retry-After": "0"}) if asked.times == 0 else replayed(asked)


@replay_quirk("failing-once")
def _failing_once(asked: Asked) -> Told:
    return Told(b"", 502) if asked.times == 0 else replayed(asked)


@quirk("shown-only")
def _shown_only(asked: Asked) -> Told:
    """A Memento archive without raw access."""
    if asked.corner == "timemap":
        return timemap(asked, VERSIONS[:1])
    if "id_/" in asked.rest:
        return Told(b"no such address", 404)
    return memento(BANNER.encode(), VERSIONS[0])


def timemap(asked: Asked, versions: Iterable[Version], name: str = "shown-only") -> Told:
    links = [f'<{SITE}>; rel="original"', *(_link(asked, version, name) for version in versions)]
    return Told(",\n".join(links).encode(), headers={"Content-Type": "application/link-format"})


def _link(asked: Asked, version: Version, name: str) -> str:
    date = formatdate(version.moment.micros / 1e6, usegmt=True)
    return f'<{asked.root}/{name}/web/{version.moment.digits()}/{version.url}>; rel="memento"; datetime="{date}"'


@quirk("paged-timemap")
def _paged(asked: Asked) -> Told:
    """Three pages, the last of which leads back to the first."""
    number = int(asked.query.get("page", "0"))
    told = timemap(asked, VERSIONS[number * 5 : number * 5 + 5])
    following = f'<{asked.root}/paged-timemap/timemap/link/{SITE}?page={(number + 1) % 3}>; rel="next timemap"'
    assert isinstance(told.body, bytes)
    return Told(f"{following},\n".encode() + told.body, headers=told.headers)


@quirk("map-of-maps")
def _map_of_maps(asked: Asked) -> Told:
    """A TimeMap that names others: two of them name two more each, which have the mementos."""
    at = asked.query.get("at", "")
    if len(at) == 2:
        first = int(at, 2) * 5
        return timemap(asked, VERSIONS[first : first + 5])
    links = [f'<{asked.root}/map-of-maps/timemap/link/{SITE}?at={at}{each}>; rel="timemap"' for each in (0, 1)]
    return Told(",\n".join(links).encode(), headers={"Content-Type": "application/link-format"})


@quirk("timemap-bad-dates")
def _timemap_bad_dates(asked: Asked) -> Told:
    body = (
        f'<{SITE}>; rel="original",\n'
        f'<{asked.root}/x/web/20200101120000/{SITE}>; rel="memento"; datetime="no date",\n'
        f'<{asked.root}/x/elsewhere>; rel="memento"; datetime="Wed, 99 Jan 2020 12:00:00 GMT",\n'
        f'garbage in between, <{asked.root}/x/web/20210101120000/{SITE}>; rel="memento"; '
        f'datetime="Fri, 01 Jan 2021 12:00:00 GMT"'
    )
    return Told(body.encode())


@quirk("timemap-json")
def _timemap_json(asked: Asked) -> Told:
    items = [
        {"datetime": version.moment.iso(), "uri": f"{asked.root}/x/web/{version.moment.digits()}/{version.url}"}
        for version in VERSIONS
    ]
    mementos = {"list": items, "first": items[0], "last": items[-1]}
    return Told(json.dumps({"original_uri": SITE, "mementos": mementos}).encode())


@quirk("aggregator")
def _aggregator(asked: Asked) -> Told:
    """Tells of mementos that two other archives hold."""
    roots = (asked.root, asked.root.replace("127.0.0.1", "localhost"))
    links = [
        _link(replace(asked, root=roots[number % 2]), version, "keyed") for number, version in enumerate(VERSIONS[:4])
    ]
    return Told(",\n".join(links).encode(), headers={"Content-Type": "application/link-format"})


quirk("timemap-html")(lambda _: Told(HTML.encode()))
quirk("timemap-slow-quota")(lambda _: Told(b"", 503, {"Retry-After": "120"}))


@quirk("timemap-of-a-million")
def _million(asked: Asked) -> Told:
    start = Moment.parse("1996").micros

    def pieces() -> Iterator[bytes]:
        yield f'<{SITE}>; rel="original"'.encode()
        for thousand in range(MILLION // 1000):
            moments = [Moment(start + (thousand * 1000 + n) * 900_000_000) for n in range(1000)]
            yield "".join(
                f',\n<{asked.root}/x/web/{each.digits()}/{SITE}>; rel="memento"; '
                f'datetime="{formatdate(each.micros / 1e6, usegmt=True)}"'
                for each in moments
            ).encode()

    return Told(pieces(), headers={"Content-Type": "application/link-format"})


MILLION = 1_000_000


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: QuirkyServer

    def do_GET(self) -> None:
        told = self.server.answer(self.path, {name.lower(): value for name, value in self.headers.items()})
        self.send_response(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        if isinstance(told.body, bytes):
            self.send_header("Content-Length", str(len(told.body) + told.cut))
            self.end_headers()
            self.wfile.write(told.body)
            self.close_connection = bool(told.cut)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in told.body:
            if piece:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


class QuirkyServer(ThreadingHTTPServer):
    """Answers by quirks, and writes down what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.ended = threading.Event()
        self._lock = threading.Lock()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str, headers: dict[str, str]) -> Told:
        _, name, corner, *rest = [*path.split("/", 3), "", ""]
        if name not in QUIRKS:
            return Told(b"no such archive", 404)
        corner, _, query = corner.partition("?")
        target = rest[0]
        if corner in ("cdx", "timemap"):
            query = query or urlsplit(target).query
        with self._lock:
            times = sum(each.startswith(f"/{name}/{corner}") for each in self.asked)
            self.asked.append(path)
        parameters = {key: values[0] for key, values in parse_qs(query).items()}
        return QUIRKS[name](Asked(corner, target, parameters, headers, self.root, times, self.ended))

    def handle_error(self, *_: object) -> None:
        """Those who hang up early are no concern."""


@contextmanager
def quirky() -> Iterator[QuirkyServer]:
    """The archive, in a thread of its own."""
    with QuirkyServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
