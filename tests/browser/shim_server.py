"""A tiny replay server on loopback: archived resources, rewritten as the protocol says, and a note of all asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, unquote, urlsplit

from webkeep.extract import DocumentKind, detect_kind
from webkeep.replay.delivery.replay_rewriter import replay_edits, replay_renaming
from webkeep.replay.shim.content_policy import translate_policy
from webkeep.replay.shim.replay_host import ReplayHost, ReplayNaming, hash_origin
from webkeep.replay.shim.scripts import OWN_PATH, shim_script, shim_tag, worker_prelude, worker_script
from webkeep.rewrite import rewrite_document
from webkeep.url import split_url

STAMP = "20240301120000"
Resources = Mapping[str, tuple[str, bytes]]
"""Media type and content by URL."""

_WORKERS = ("worker", "sharedworker", "serviceworker")


class ShimServer:
    """Replays resources; `asked` has every archived URL that was asked for, `outside` every name that is not ours.

    Any site on it has `/asked.json`, that list, and `/run.js?TEXT`, the text as a script.
    """

    def __init__(
        self,
        resources: Resources,
        sockets: Mapping[str, object] | None = None,
        options: str = "",
        policies: Mapping[str, str] | None = None,
    ) -> None:
        self.resources, self.sockets, self.options = resources, sockets or {}, options
        self.policies = policies or {}
        self.asked: list[str] = []
        self.outside: list[str] = []
        self.posted: list[tuple[str, bytes]] = []
        self._hashed = {hash_origin(split_url(url).origin): split_url(url).origin for url in resources}
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                server.answer(self)

            def do_POST(self) -> None:
                server.answer(self, self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def do_OPTIONS(self) -> None:
                server.reply(self, 204, "", b"")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.base = f"localhost:{self.port}"
        self.naming = ReplayNaming(f"http://{self.base}", STAMP, set_clock="c" in options)
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> ShimServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def address(self, url: str) -> str:
        """Where an archived URL is replayed."""
        found = self.naming.replay_url(url)
        assert found is not None
        return found

    @property
    def locks(self) -> dict[str, str]:
        inside = f"'self' http://*.{self.base} data: blob: 'unsafe-inline' 'unsafe-eval'"
        return {
            "Content-Security-Policy": f"default-src {inside}; connect-src {inside} ws://*.{self.base}",
            "Connection-Allowlist": f'(response-origin "http://*.{self.base}");redirects=allow',
        }

    def answer(self, request: BaseHTTPRequestHandler, body: bytes | None = None) -> None:
        name = request.headers.get("Host", "")
        host = ReplayHost.parse(name.removesuffix(f".{self.base}"))
        if host is None:
            self.outside.append(f"http://{name}{request.path}")
            self.reply(request, 404, "text/plain", b"outside")
        elif request.path.startswith(OWN_PATH):
            self._own(request)
        else:
            url = (host.origin or self._hashed.get(host.origin_hash, "")) + request.path
            self.asked.append(url)
            if body is not None:
                self.posted.append((url, body))
            self._archived(request, url)

    def _own(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        name = parts.path.removeprefix(OWN_PATH)
        if name == "frames":
            found = self.sockets.get(parse_qs(parts.query)["url"][0])
            self.reply(request, 200, "application/json", json.dumps(found).encode())
        elif name.startswith("to/"):
            scheme, _, rest = name.removeprefix("to/").partition("/")
            query = f"?{parts.query}" if parts.query else ""
            self.reply(request, 307, "", b"", {"Location": self.address(f"{scheme}://{rest}{query}")})
        else:
            script = {"shim.js": shim_script, "worker.js": worker_script}[name]()
            self.reply(request, 200, "text/javascript", script)

    def _resource(self, url: str) -> tuple[str, bytes]:
        path, _, query = url.partition("?")
        if path.endswith("/asked.json"):
            return "application/json", json.dumps(self.asked).encode()
        if path.endswith("/run.js"):
            return "text/javascript", unquote(query).encode()
        return self.resources.get(url) or self.resources.get(path, ("", b""))

    def _archived(self, request: BaseHTTPRequestHandler, url: str) -> None:
        media_type, content = self._resource(url)
        if not media_type:
            self.reply(request, 404, "text/plain", b"not archived")
            return
        origin = split_url(url).origin
        here = self.address(f"{origin}/")
        tag = shim_tag(here.rstrip("/"), origin)
        destination = request.headers.get("Sec-Fetch-Dest", "")
        kind = (
            DocumentKind.SCRIPT
            if destination in (*_WORKERS, "script", "audioworklet")
            else detect_kind(media_type, content, url)
        )
        if destination != "empty":
            content = rewrite_document(
                content, url, replay_renaming(self.naming), kind=kind, charset="utf-8", edits=replay_edits(tag)
            )
        if destination in _WORKERS:
            content = worker_prelude(content, here.rstrip("/"), origin, self.locks) + b"\n" + content
        policy = translate_policy(self.policies.get(url, ""), url, self.naming)
        self.reply(request, 200, media_type, content, {"content-security-policy": policy} if policy else {})

    def reply(
        self,
        request: BaseHTTPRequestHandler,
        status: int,
        media_type: str,
        content: bytes,
        more: Mapping[str, str] | None = None,
    ) -> None:
        origin = request.headers.get("Origin", "")
        fields = {**self.locks, **(more or {}), "Content-Length": str(len(content)), "Cache-Control": "no-store"}
        if media_type:
            fields["Content-Type"] = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
        if origin:
            fields |= {
                "Access-Control-Allow-Origin": origin,
                "Access-Control-Allow-Credentials": "true",
                "Access-Control-Allow-Headers": request.headers.get("Access-Control-Request-Headers", "x-any"),
                "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
            }
        request.send_response(status)
        for name, value in fields.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)
