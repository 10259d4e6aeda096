# ruff: noqa: E501 - tables are read more easily in long lines
"""Places in an exchange where a secret can be, and look-alikes that are none.

Each place is a template in which `SECRET` stands for the secret: another for every place, so that whatever is found in
the end says where it came from. Look-alikes have a marker in the same way, which must still be there in the end.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

import brotli
import zstandard

WORD = "SECRET"


@dataclass(frozen=True, slots=True)
class Sent:
    """A request, and what its answer says."""

    target: str = "/here"
    fields: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    answer: tuple[tuple[str, str], ...] = ()
    raw: bytes = b""
    """What stands in the target as it is, whatever bytes these are."""
    pack: Callable[[bytes], bytes] = field(default=bytes)
    """What becomes of the body on its way, once its secret is in it."""

    def filled(self, secret: str) -> Sent:
        """The same with a secret, or a marker, in its place."""
        return Sent(
            self.target.replace(WORD, secret),
            tuple((name, value.replace(WORD, secret)) for name, value in self.fields),
            self.pack(self.body.replace(WORD.encode(), secret.encode())),
            tuple((name, value.replace(WORD, secret)) for name, value in self.answer),
            self.raw.replace(WORD.encode(), secret.encode()),
        )


def secret_places() -> Iterator[Sent]:
    """Everywhere a client, or a server's head, can have a secret."""
    yield from (Sent(fields=((name, value),)) for name, value in _REQUEST_FIELDS)
    yield from (Sent(target=target) for target in _TARGETS)
    yield from (Sent(raw=raw) for raw in _RAW_TARGETS)
    yield from (Sent(answer=((name, value),)) for name, value in _ANSWER_FIELDS)
    yield from _bodies(_FORMS)
    yield from _spelled_bodies()


def harmless_places() -> Iterator[Sent]:
    """What looks like a secret and is none."""
    yield from (Sent(fields=((name, value),)) for name, value in _HARMLESS_FIELDS)
    yield from (Sent(answer=((name, value),)) for name, value in _HARMLESS_ANSWERS)
    yield from (Sent(target=f"/here?{name}={WORD}") for name in OPEN_NAMES)
    yield from (Sent(target=target) for target in _HARMLESS_TARGETS)
    for name in OPEN_NAMES:
        yield Sent(fields=_typed(_FORM), body=f"a=1&{name}={WORD}".encode())
        yield Sent(fields=_typed(_JSON), body=json.dumps({name: WORD}).encode())
    yield from _bodies(_HARMLESS_BODIES)
    yield from _unreadable()


_FORM, _JSON, _PARTS = "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=XX"


def _typed(kind: str, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("Content-Type", kind), *more)


def _bodies(bodies: list[tuple[str, str]]) -> Iterator[Sent]:
    for kind, body in bodies:
        is_packed = kind.endswith("msgpack")
        yield Sent(fields=_typed(kind) if kind else (), body=body.encode("latin-1" if is_packed else "utf-8"))


SECRET_NAMES = [
    "password", "Password", "PASSWORD", "user[password]", "new_password1", "password_confirmation", "pass", "passphrase",
    "passwd", "pwd", "userpwd", "pin", "otp", "cvv", "api-key", "api_key", "apiKey", "token", "access_token",
    "accessToken", "refresh_token", "csrfmiddlewaretoken", "authenticity_token", "id_token", "secret", "client_secret",
    "private_key", "session_id", "PHPSESSID", "sig", "auth", "jwt", "code_verifier", "SAMLResponse", "_wpnonce",
]  # fmt: skip
"""Names whose values are secret."""

OPEN_NAMES = [
    "design", "tokens", "monkey", "tokenizer", "compass", "passage", "bypass", "passenger", "pinned", "spinner",
    "secretary", "secretariat", "author", "authors", "authority", "keyboard", "keyword", "key", "public_key",
    "primary_key", "page_token", "nextPageToken", "continuationToken", "max_tokens", "token_type", "expires_in",
    "password_length", "passwordless", "zip_code", "country_code", "status_code", "pass_rate", "boarding_pass",
    "map_pin", "pinterest", "opinion", "shipping", "codec", "cookie_policy", "author_id", "token_id", "state", "nonce",
    "csp", "signature_name", "hash", "checksum", "etag", "crossword", "sword", "wordpress", "passive", "passing",
    "pineapple", "topic", "broken", "spoken", "betoken", "sessions", "possession", "obsession", "coding", "encoding",
    "postcode", "barcode", "qrcode", "unicode", "keycloak", "monkeys", "turkey", "hockey", "autofocus", "autumn",
    "significant", "signal", "designer", "assign", "resignation", "otpimal", "mapping", "typing", "spin", "opening",
]  # fmt: skip
"""Names that only look so."""

_REQUEST_FIELDS = [
    *((name, WORD) for name in (
        "Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "X-Api-Key", "X-Auth-Token", "X-CSRF-Token",
        "X-XSRF-TOKEN", "X-Access-Token", "X-Vault-Token", "Private-Token", "X-Goog-Api-Key", "DPoP", "Api-Key",
        "X-Session-Id", "X-Auth-Key", "X-Client-Secret", "Ocp-Apim-Subscription-Key", "X-Amz-Security-Token",
        "X-Shopify-Access-Token", "X-Password", "X-Functions-Key", "Cf-Access-Jwt-Assertion", "X-Plex-Token",
        "X-Otp", "X-Refresh-Token", "authorization", "COOKIE", "X-Custom-Secret", "X-Signature",
    )),
    ("Authorization", f"Bearer {WORD}"), ("Cookie", f"a=b; session={WORD}; c=d"),
    ("Sec-WebSocket-Protocol", f"graphql-ws, {WORD}"),
    ("Referer", f"http://a.test/reset?token={WORD}"), ("Referer", f"http://a.test/#access_token={WORD}"),
    ("Referer", f"http://a.test/?next=%2Freset%3Ftoken%3D{WORD}"), ("Referer", f"http://me:{WORD}@a.test/"),
    ("Referer", f"http://a.test/?next=%252Freset%253Ftoken%253D{WORD}"), ("Referer", f"/;jsessionid={WORD}?x=1"),
    ("Origin", f"http://me:{WORD}@a.test"), ("X-Original-URL", f"/in?password={WORD}"),
    ("X-Forwarded-Uri", f"/in?pass%77ord={WORD}"), ("X-Info", f'{{"password": "{WORD}"}}'),
    ("X-Info", f"user=me; token={WORD}"), ("Destination", f"/a?api_key={WORD}"),
    ("X-Trace", f"url=/x?user%5Bpassword%5D={WORD}"), ("X-Anything", f"Bearer {WORD}"), ("X-Anything", f"Basic bWU6{WORD}"),
]  # fmt: skip

_TARGETS = [
    *(f"/here?a=b&{name}={WORD}&c=d" for name in SECRET_NAMES),
    f"/here?pass%77ord={WORD}", f"/here?%70%61%73%73={WORD}", f"/here?pass%2577ord={WORD}", f"/here?Pa%53sWord={WORD}",
    f"/here?user%5Bpassword%5D={WORD}", f"/here?a=b;token={WORD}", f"/here;jsessionid={WORD}",
    f"/here;jsessionid={WORD}?x=1", f"/here?next=%2Fx%3Ftoken%3D{WORD}", f"/here?q=%7B%22password%22%3A%22{WORD}%22%7D",
    f"/here?u=http%3A%2F%2Fme%3A{WORD}%40b.test%2F", f"/here?code={WORD}&state=x", f"/here?pass%u0077ord={WORD}",
    f"/here?(token)={WORD}", f"/here?pass%C2%ADword={WORD}", f"/here?mode=resetPassword&oobCode={WORD}", f"/here?action=rp&key={WORD}&login=a",
    f"/here?query=mutation%7Blogin(password%3A%22{WORD}%22)%7D", f"/here?h=Authorization%3A+Bearer+{WORD}", f"/here?x=%3Cpassword%3E{WORD}%3C%2Fpassword%3E",
    f"/here?%EF%BD%90%EF%BD%81%EF%BD%93%EF%BD%93%EF%BD%97%EF%BD%8F%EF%BD%92%EF%BD%84={WORD}",
]  # fmt: skip
_RAW_TARGETS = [
    "/here?name=ü&password=SECRET".encode(), "/here?name=ü&password=SECRET".encode("latin-1"),
    "/日本?token=SECRET&x=語".encode(), "/here?contraseña=SECRET".encode(), "/here?contraseña=SECRET".encode("latin-1"),
    "/here?пароль=SECRET".encode(), "/here?密码=SECRET".encode(),
]  # fmt: skip

_ANSWER_FIELDS = [
    ("Set-Cookie", f"a={WORD}; Path=/"), ("set-cookie", f"a={WORD}"), ("Set-Cookie2", f"a={WORD}"),
    ("Location", f"/reset?token={WORD}"), ("Location", f"http://a.test/#id_token={WORD}&state=1"),
    ("Location", f"/cb?code={WORD}&state=x"), ("Location", f"/a?user%5Bpass%77ord%5D={WORD}"),
    ("Location", f"http://me:{WORD}@a.test/"), ("Content-Location", f"/reset?token={WORD}"),
    ("Refresh", f"0; url=/reset?token={WORD}"), ("Refresh", f'0; url="/reset?token={WORD}"'),
    ("Link", f"</reset?token={WORD}>; rel=preload"), ("Link", f'<http://a.test/?a=b&api_key={WORD}>; rel="next"'),
    ("Content-Security-Policy", f"default-src 'self'; report-uri /r?token={WORD}"),
    ("Report-To", f'{{"endpoints": [{{"url": "https://a.test/r?token={WORD}"}}]}}'),
    ("SourceMap", f"/a.map?token={WORD}"), ("X-Access-Token", WORD), ("X-CSRF-Token", WORD), ("X-Refresh-Token", WORD),
    ("Authentication-Info", f'nextnonce="{WORD}"'), ("X-Session-Id", WORD), ("X-Debug", f"user=me&password={WORD}"),
    ("X-Redirect", f"/in?token={WORD}"), ("Alt-Location", f"/in?next=%2F%3Ftoken%3D{WORD}"),
]  # fmt: skip


def _multipart(name: str, end: str = "\r\n", kind: str = "", content: str = WORD) -> str:
    typed = f"Content-Type: {kind}{end}" if kind else ""
    return f"--XX{end}Content-Disposition: form-data; {name}{end}{typed}{end}{content}{end}--XX--{end}"


_OTHER_NAMES = [
    "mdp", "clave", "has%C5%82o", "heslo", "parola", "l%C3%B6senord", "kodeord", "salasana", "jelsz%C3%B3", "%C5%9Fifre", "sifre",
    "passord", "kata_sandi", "oobCode", "(password)", "user{password}", "to%00ken", "to%E2%80%8Bken",
]  # fmt: skip
_PACKED = [
    f'while(1);{{"password":"{WORD}"}}', f'for(;;);{{"token":"{WORD}"}}', f'42["login",{{"password":"{WORD}"}}]', f'40{{"token":"{WORD}"}}',
    f'2["a"]\x1e42["login",{{"pin":"{WORD}"}}]', f"<password>{WORD}</password>", f'mutation{{login(password:"{WORD}")}}',
]  # fmt: skip
_FORMS = [
    *((_FORM, f"user=me&{name}={WORD}&x=1") for name in SECRET_NAMES),
    (_FORM, f"pass%77ord={WORD}"), (_FORM, f"a=b;password={WORD}"), (_FORM, f"%75ser%5bp%61ss%5d={WORD}"),
    (_FORM, f'{{"password":"{WORD}"}}'), (_FORM, f"data=%7B%22token%22%3A%22{WORD}%22%7D"), (_FORM, f'd={{"pin":"{WORD}"}}'),
    (_JSON, f'{{"password": "{WORD}"}}'), (_JSON, f'{{"pass\\u0077ord": "{WORD}"}}'), (_JSON, f'{{"token": ["{WORD}"]}}'),
    (_JSON, f'{{"secret": {{"k": "{WORD}"}}}}'), (_JSON, f'[{{"a": [{{"api_key": "{WORD}"}}]}}]'),
    (_JSON, f'[{{"name": "password", "value": "{WORD}"}}]'), (_JSON, f'{{"value": "{WORD}", "name": "password"}}'),
    (_JSON, f'{{"url": "/x?token={WORD}"}}'), (_JSON, f'{{"body": "{{\\"password\\":\\"{WORD}\\"}}"}}'),
    (_JSON, f'{{"body": "user=me&password={WORD}"}}'), (_JSON, f"{{'password': '{WORD}'}}"), (_JSON, f"{{password: '{WORD}'}}"),
    (_JSON, f'{{/* " */ "password": "{WORD}"}}'), (_JSON, f'{{"password": "{WORD}'), (_JSON, f'{{"headers": {{"Cookie": "a={WORD}"}}}}'),
    (_JSON, f'{{"query": "mutation {{ login(password: \\"{WORD}\\") }}"}}'), (_JSON, f'{{"variables": {{"password": "{WORD}"}}}}'),
    (_JSON, f')]}}\'\n{{"password": "{WORD}"}}'), ("application/graphql", f'{{ login(token: "{WORD}") {{ id }} }}'),
    ("application/vnd.api+json", f'{{"a":1}}\n{{"password":"{WORD}"}}'), ("application/x-ndjson", f'{{"a":1}}\n{{"pin":"{WORD}"}}'),
    ("text/plain;charset=UTF-8", f'{{"password":"{WORD}"}}'), ("text/plain", f"user=me\r\npassword={WORD}\r\n"),
    ("text/xml", f"<a><Password>{WORD}</Password></a>"), ("application/soap+xml", f"<w:Secret><v>{WORD}</v></w:Secret>"),
    ("text/xml", f"<pin><![CDATA[{WORD}]]></pin>"), ("text/xml", f"<key>token</key><string>{WORD}</string>"),
    ("text/xml", f'<i name="password" value="{WORD}"/>'), ("text/xml", f"<a password='{WORD}'/>"),
    ("text/xml", f"<member><name>password</name><value><string>{WORD}</string></value></member>"),
    ("", f"password={WORD}"), ("", f'{{"token": "{WORD}"}}'), ("application/octet-stream", f"password={WORD}"),
    ("application/json-patch+json", f'[{{"op": "add", "password": "{WORD}"}}]'),
    (_PARTS, _multipart('name="password"')), (_PARTS, _multipart('name="password"', "\n")), (_PARTS, _multipart("name=password")),
    (_PARTS, _multipart("name*=utf-8''pass%77ord")), (_PARTS, _multipart('name="user[password]"')),
    (_PARTS, _multipart('name="d"', kind=_JSON, content=f'{{"token": "{WORD}"}}')),
    (_PARTS, _multipart('name="d"', content=f"password={WORD}")), ("multipart/form-data", _multipart('name="pin"')),
    ("multipart/form-data; boundary=wrong", _multipart('name="pin"')), ("multipart/mixed; boundary=XX", _multipart('name="token"')),
    ("application/x-msgpack", f"\x82\xa4user\xa2me\xa8password\xa9{WORD}"),
    *((_FORM, f"{name}={WORD}") for name in _OTHER_NAMES), *((kind, text) for text in _PACKED for kind in (_JSON, "text/plain", "")),
    *((_FORM, f"d={quote(text)}") for text in _PACKED), *((_JSON, json.dumps({"d": text})) for text in _PACKED),
    (_PARTS, _multipart('name="f"; filename="blob"', kind=_JSON, content=f'{{"password":"{WORD}"}}')), (_PARTS, _multipart('name="f"; filename="a.txt"', kind="text/plain", content=f"password: {WORD}")),
    (_PARTS, _multipart('name="f"; filename="a"', kind=_FORM, content=f"password={WORD}")), ("message/http", f"GET / HTTP/1.1\r\nAuthorization: Bearer {WORD}\r\n\r\n"),
    (_PARTS, _multipart('name="f"', kind="multipart/mixed; boundary=YY", content=f'--YY\r\nContent-Disposition: form-data; name="pin"\r\n\r\n{WORD}\r\n--YY--')),
    (_PARTS, _multipart('name="f"', kind="application/http", content=f"POST /x HTTP/1.1\r\nCookie: a={WORD}\r\nContent-Type: application/json\r\n\r\n{{}}")),
    (_JSON, f'{{"name":"password","value":["{WORD}"]}}'), (_JSON, f'{{"name":"password","value":{{"s":"{WORD}"}}}}'), (_JSON, f'[{{"op":"replace","path":"/password","value":"{WORD}"}}]'), (_JSON, f'[["password","{WORD}"]]'),
    (_JSON, f'{{"name":"password","label":"Word","value":"{WORD}"}}'), (_JSON, f'{{"h":"Bearer {WORD}"}}'), (_JSON, f'{{"h":"Authorization: Bearer {WORD}"}}'), (_JSON, f'{{"pass\\u200bword":"{WORD}"}}'),
    (_JSON, json.dumps({"Query": f'mutation {{ login(password: """{WORD}""") }}'})), (_JSON, json.dumps({"query": f'mutation ($password: String = "{WORD}") {{ a }}'})), (_JSON, json.dumps({"query": f'{{ a(token: ["{WORD}"]) }}'})),
    (_FORM, "query=" + quote(f'mutation{{login(password:"{WORD}")}}')), ("text/xml", f"<u>http://a.test/?a=b&amp;token={WORD}</u>"), ("text/xml", f'<u><![CDATA[{{"pin":"{WORD}"}}]]></u>'), ("text/xml", f"<!-- <pin>{WORD}</pin> --><a/>"),
    ("text/xml", f'<f var="password"><value>{WORD}</value></f>'), ("text/xml", f'<f id="password">{WORD}</f>'), ("text/xml", f"<a password={WORD} />"), ("text/xml", f"hello <pin>{WORD}</pin>"),
    ("text/plain", f"password: {WORD}"), ("text/plain", f"password = {WORD}"), ("text/plain", f"Authorization: Bearer {WORD}"), ("application/yaml", f"db:\n  password: {WORD}\n"), ("application/yaml", f"password: |\n  {WORD}\n"),
]  # fmt: skip


def _spelled_bodies() -> Iterator[Sent]:
    """Forms in every charset and coding."""
    form = json.dumps({"name": "me", "password": WORD})
    for charset in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7", "cp037", "utf-8-sig"):
        kind = f"{_JSON}; charset={charset.removesuffix('-sig')}"
        yield Sent(fields=_typed(kind), body=form.encode(), pack=_recode(charset))
    for coding, pack in _CODINGS.items():
        yield Sent(fields=_typed(_JSON, ("Content-Encoding", coding)), body=form.encode(), pack=pack)
        yield Sent(fields=_typed(_FORM, ("Content-Encoding", coding)), body=f"token={WORD}".encode(), pack=pack)
    yield Sent(fields=_typed(_JSON), body=form.encode(), pack=gzip.compress)
    odd = (("Content-Encoding", "x-odd"),)
    yield Sent(fields=_typed(_JSON, *odd), body=form.encode())
    yield Sent(target="/login", fields=_typed("application/octet-stream", *odd), body=form.encode())
    yield Sent(
        fields=_typed(_JSON, ("Content-Encoding", "gzip")), body=form.encode(), pack=lambda data: b"\x1f\x8b" + data
    )


def _recode(charset: str) -> Callable[[bytes], bytes]:
    return lambda data: data.decode().encode(charset)


def _zipped(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


_CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": _zipped,
}  # fmt: skip

_HARMLESS_FIELDS = [
    (name, WORD) for name in (
        "Idempotency-Key", "Surrogate-Key", "X-Cache-Key", "X-Request-Id", "X-Author", "X-Passage", "X-Token-Type",
        "X-Page-Token", "X-Keyboard", "Accept-Language", "X-Secretary", "X-Design", "X-Opinion", "X-Country-Code",
    )
] + [
    ("Referer", f"http://a.test/?page_token={WORD}"), ("Referer", f"http://a.test/?q=password&x={WORD}"),
    ("Referer", f"http://a.test/?next=%2Fx%3Fauthor%3D{WORD}"), ("X-Info", f'{{"max_tokens": 1, "a": "{WORD}"}}'),
    ("If-None-Match", f'"{WORD}"'), ("User-Agent", f"agent/{WORD} (token; password)"),
]  # fmt: skip
_HARMLESS_ANSWERS = [
    ("ETag", f'"{WORD}"'), ("WWW-Authenticate", f'Basic realm="{WORD}"'), ("X-Author", WORD), ("Signature", f"sig1=:{WORD}:"),
    ("Location", f"/next?page_token={WORD}"), ("Location", f"/x?state={WORD}&n=1"), ("Link", f"</a?author={WORD}>; rel=next"),
    ("Refresh", f"0; url=/x?topic={WORD}"), ("Content-Security-Policy", f"script-src 'nonce-{WORD}'"),
    ("Access-Control-Allow-Headers", f"Authorization, X-CSRF-Token, {WORD}"), ("X-RateLimit-Tokens", WORD),
    ("Content-Disposition", f'attachment; filename="password-{WORD}.txt"'), ("X-Cache-Key", WORD), ("Server-Timing", f"{WORD};dur=5"),
    ("Public-Key-Pins", f'pin-sha256="{WORD}"'), ("Vary", f"Cookie, {WORD}"),
]  # fmt: skip
_HARMLESS_TARGETS = [
    f"/password/{WORD}", f"/token/{WORD}.html", f"/here?q=token&x={WORD}", f"/here?has_password=true&x={WORD}",
    f"/here?show_password=1&x={WORD}", f"/here?sid=7&x={WORD}", f"/here?code={WORD}", f"/here?session=12&x={WORD}",
    f"/here?ticket=77&x={WORD}", f"/here?auth=basic&x={WORD}", f"/secret-garden/{WORD}", f"/here?q=100%25&x={WORD}",
    f"/here?pw=640&x={WORD}", f"/here?action=read&key={WORD}", f"/here?palabra_clave={WORD}", f"/here?q=Basic+information&x={WORD}",
    f"/here?x={WORD}&password=", f"/here?q=%C3%BC&x={WORD}", f"/pass/the/{WORD}?pin", f"/@user/{WORD}",
]  # fmt: skip
_HARMLESS_BODIES = [
    ("text/plain", f"The password is {WORD}; token = none"), (_JSON, f'{{"comment": "my token = {WORD}"}}'),
    (_JSON, f'{{"code": "let token=f({WORD})"}}'), (_JSON, f'{{"password": true, "x": "{WORD}"}}'),
    (_JSON, f'{{"signature": "Best regards, {WORD}"}}'), (_JSON, f'{{"title": "Secret {WORD}", "token": null}}'),
    (_FORM, f"q=password%3D&x={WORD}"), (_FORM, f"text=pass+the+token&x={WORD}"), ("text/xml", f"<author>{WORD}</author>"),
    ("text/xml", f"<a title='password'>{WORD}</a>"), ("application/graphql", f'{{ page(author: "{WORD}") }}'),
    (_PARTS, _multipart('name="author"')), (_PARTS, _multipart('name="file"; filename="password.txt"')),
    (_JSON, json.dumps({"query": f"{{ pin: {WORD}(x: 1) {{ pass: y }} }}"})), (_JSON, json.dumps({"query": f"input A {{ password: {WORD} }}"})), (_JSON, f'{{"fields":["password","{WORD}"]}}'),
    (_JSON, f'{{"note":"Password: see {WORD}"}}'), (_JSON, json.dumps({"query": f"mutation($p:T){{login(password: ${WORD}){{id}}}}"})), ("text/plain", f"42 is {WORD}"), (_JSON, f'{{"path":"/author","value":"{WORD}"}}'),
    (_JSON, f'[["user","{WORD}"]]'), ("application/yaml", f"pages:\n  a: {WORD}\n"), ("text/xml", f'<a id="7">text: {WORD}</a>'), (_FORM, f"x=<b>{WORD}</b>"), (_JSON, f'while(1);{{"author":"{WORD}"}}'),
    ("text/markdown", f"# Secrets of {WORD}\n\npassword: none"), ("text/csv", f"name,password\nx,{WORD}\n"),
]  # fmt: skip


def _unreadable() -> Iterator[Sent]:
    """Bodies that nobody can read and that hold no secret: pictures, films, files of any kind."""
    noise = bytes(range(128, 256)) + b"\x00\x01\x02"
    for kind in (
        "image/png", "image/jpeg", "image/webp", "video/mp4", "audio/ogg", "font/woff2", "application/pdf",
        "application/zip", "application/octet-stream", "application/x-protobuf", "application/wasm", "application/x-tar",
    ):  # fmt: skip
        yield Sent(fields=_typed(kind), body=noise + WORD.encode() + noise)
    for coding in ("x-odd", "gzip"):
        yield Sent(fields=_typed("image/png", ("Content-Encoding", coding)), body=noise + WORD.encode())
    yield Sent(fields=_typed("image/png"), body=b"\x89PNG\r\n\x1a\npassword=" + WORD.encode())
    yield Sent(fields=_typed("application/zip"), body=_zip_like())


def _zip_like() -> bytes:
    held = io.BytesIO()
    held.write(b"PK\x03\x04" + b"\0" * 26 + b"password.txt" + WORD.encode())
    return held.getvalue()
