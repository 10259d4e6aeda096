# ruff: noqa: E501 - tables are read more easily in long lines
"""Secrets in texts within texts: what kind each is of is told in one place, whatever it came in."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.redaction import Redactor

SECRET = "Zk93hd7Qw2"
FORM, JSON, XML, TEXT = "application/x-www-form-urlencoded", "application/json", "text/xml", "text/plain"
PARTS = "multipart/form-data; boundary=XX"
PLAIN = b"HTTP/1.1 200 OK\r\n\r\n"


def part(content: str, disposition: str = 'name="d"', *lines: str) -> str:
    head = "\r\n".join([f"Content-Disposition: form-data; {disposition}", *lines])
    return f"--XX\r\n{head}\r\n\r\n{content}\r\n--XX--\r\n"


def query(text: str, name: str = "query") -> str:
    return json.dumps({name: text})


LOGIN = '{"password":"SECRET","user":"me"}'
HTTP = "POST /x HTTP/1.1\r\nAuthorization: Bearer SECRET\r\nContent-Type: application/json\r\n\r\n" + LOGIN
GUARDED = [")]}'\n" + LOGIN, ")]}',\n" + LOGIN, "while(1);" + LOGIN, "for (;;);" + LOGIN, ")]}" + LOGIN]
PACKETS = [
    f'42["login",{LOGIN}]', f"40{LOGIN}", f"0{LOGIN}", f'42/chat,17["login",{LOGIN}]', f'a["{LOGIN.replace(chr(34), chr(92) + chr(34))}"]',
    f'42["a",{{"b":1}}]\x1e42["login",{LOGIN}]', f'15:42["a",{{"b":1}}]49:42["login",{LOGIN}]', f'451-["login",{LOGIN}]',
]  # fmt: skip
BODIES = [
    *((JSON, text) for text in GUARDED), *((TEXT, text) for text in GUARDED + PACKETS), *(("", text) for text in PACKETS),
    *((FORM, "d=" + quote(text)) for text in GUARDED[:3] + PACKETS[:4]), *((JSON, json.dumps({"d": text})) for text in GUARDED + PACKETS[:4]),
    (PARTS, part(LOGIN, 'name="f"; filename="blob"', "Content-Type: application/json")), (PARTS, part("password: SECRET", 'name="f"; filename="a.txt"', "Content-Type: text/plain")),
    (PARTS, part("password=SECRET", 'name="f"; filename="a"', f"Content-Type: {FORM}")), (PARTS, part(LOGIN, 'name="f"; filename="blob"')),
    (PARTS, part("--YY\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nSECRET\r\n--YY--", 'name="f"', "Content-Type: multipart/mixed; boundary=YY")),
    (PARTS, part("--YY\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nSECRET\r\n--YY--", 'name="f"', "Content-Type: multipart/mixed;\r\n boundary=YY")),
    (PARTS, part(HTTP, 'name="f"', "Content-Type: application/http")), ("multipart/mixed; boundary=XX", part(HTTP, "x", "Content-Type: application/http; msgtype=request")),
    ("message/http", HTTP), (PARTS, part(base64.b64encode(LOGIN.replace("SECRET", SECRET).encode()).decode(), 'name="d"', "Content-Transfer-Encoding: base64")),
    (FORM, "query=" + quote('mutation{login(password:"SECRET"){id}}')), (JSON, query('mutation { login(password: """SECRET""") }')), (JSON, query('mutation { login(password: ["SECRET"]) }')),
    (JSON, query('mutation ($password: String = "SECRET") { login(password: $password) }')), (JSON, query('mutation { login(password: "SECRET") }', "Query")),
    (JSON, query('mutation { login(input: {user: "me", password: "SECRET"}) { id } }')), (JSON, query('{ me { login(pin: "SECRET") } }', "q")), ("application/graphql", '{ login(token: [{a: "SECRET"}]) { id } }'),
    (XML, "<u>http://a.test/?token=SECRET</u>"), (XML, "<u>http://a.test/?a=b&amp;token=SECRET</u>"), (XML, f"<u><![CDATA[{LOGIN}]]></u>"), (XML, "<!-- <password>SECRET</password> --><a/>"),
    (XML, "<password><!-- SECRET --></password>"), (XML, '<field var="password"><value>SECRET</value></field>'), (XML, '<field id="password">SECRET</field>'), (XML, "<a password=SECRET />"),
    (XML, "hello <password>SECRET</password>"), (XML, '<a href="/x?token=SECRET"/>'), (JSON, '{"x":"<password>SECRET</password>"}'), (FORM, "x=%3Cpassword%3ESECRET%3C%2Fpassword%3E"), (FORM, "x=<password>SECRET</password>"),
    (JSON, '{"name":"password","value":["SECRET"]}'), (JSON, '{"name":"password","value":{"stringValue":"SECRET"}}'), (JSON, '{"name":"password","label":"Word","id":7,"value":"SECRET"}'),
    (JSON, '[{"op":"replace","path":"/user/password","value":"SECRET"}]'), (JSON, '[["user","me"],["password","SECRET"]]'), (JSON, '["password","SECRET"]'), (JSON, '{"fieldName":"password","fieldValue":"SECRET"}'),
    (JSON, '{"type":"password","value":"SECRET"}'), (JSON, '{"header":"Authorization: Bearer SECRET"}'), (JSON, '{"h":"Bearer SECRET"}'), (JSON, '{"pass\\u200bword":"SECRET"}'), (JSON, '{"pass\\u0000word":"SECRET"}'),
    (JSON, json.dumps(LOGIN)), (JSON, query('mutation{login(password:"SECRET"')), (JSON, json.dumps({"a": json.dumps({"b": LOGIN})})),
    (FORM, "a[password]=SECRET"), (FORM, "0[password]=SECRET"), (FORM, "[password]=SECRET"), (FORM, "{password}=SECRET"), ("", "a[token]=SECRET"), (TEXT, "query (optional)\npassword: SECRET"), (TEXT, "$db_password = 'SECRET';"),
    (TEXT, "type (any)\npassword: SECRET"), (TEXT, "<3 you\npassword: SECRET"), (TEXT, "0[1]=x&password=SECRET"), (TEXT, "_csrf_token: SECRET"),
    (TEXT, "password: SECRET"), (TEXT, "password = SECRET"), (TEXT, "user: me\r\npassword:SECRET\r\n"), (TEXT, "Authorization: Bearer SECRET"), (TEXT, "password\tSECRET"), (TEXT, "export API_KEY=SECRET"),
    ("application/yaml", "user: me\ndb:\n  password: SECRET\n"), ("application/yaml", "- password: 'SECRET'\n"), ("application/yaml", "password: |\n  SECRET\nuser: me\n"), ("application/yaml", "secrets:\n  a: SECRET\n"),
    ("text/plain", "[database]\nuser = me\npassword = SECRET\n"), (FORM, "(password)=SECRET"), (FORM, "user{password}=SECRET"), (FORM, "user%7Bpassword%7D=SECRET"), (FORM, "to%E2%80%8Bken=SECRET"), (FORM, "to%00ken=SECRET"),
    *((FORM, f"{quote(word)}=SECRET") for word in ("mdp", "clave", "hasło", "haslo", "heslo", "parola", "lösenord", "losenord", "kodeord", "salasana", "jelszó", "jelszo", "şifre", "sifre", "passord", "kata_sandi", "oobCode")),
]  # fmt: skip
QUERIES = [
    "query=mutation%7Blogin(password%3A%22SECRET%22)%7D", "query=mutation{login(password:%22SECRET%22)}", "(token)=SECRET", "pass%C2%ADword=SECRET", "mode=resetPassword&oobCode=SECRET", "action=rp&key=SECRET&login=admin",
    "h=Authorization%3A+Bearer+SECRET", "x=%3Cpassword%3ESECRET%3C%2Fpassword%3E", "x=%5B%22password%22%2C%22SECRET%22%5D", "pin=4711&pin=SECRET", "pass=SECRET", "pw=SECRET", "pw=SECRET&graph=1", "pw=SECRET&ph=480", "auth=SECRET", "csrf=SECRET", "sig=SECRET", "secret_key=SECRET",
    "pass=geheim+SECRET", "otp=SECRET", "accesskey=SECRET", "mdp=SECRET",
]  # fmt: skip


def redacted(body: str = "", kind: str = "", target: str = "/b", *lines: str, response: bytes = PLAIN) -> bytes:
    head = "".join(f"{line}\r\n" for line in [f"POST {target} HTTP/1.1", f"Content-Type: {kind}", *lines, ""])
    given = Exchange(
        f"http://a.test{target}", Moment(0), response, BytesBody(b"x"), head.encode(), BytesBody(body.encode())
    )
    held = Redactor().redact(given).exchange
    again = Redactor().redact(held).exchange
    assert (again.url, again.request, again.response) == (held.url, held.request, held.response)
    assert b"".join(again.request_body.chunks()) == b"".join(held.request_body.chunks())
    return b"\n".join([held.url.encode(), held.request, held.response, *held.request_body.chunks()])


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_what_is_packed_is_left_out_too(kind: str, body: str) -> None:
    held = redacted(body.replace("SECRET", SECRET), kind)
    assert SECRET.encode() not in held
    assert base64.b64encode(LOGIN.replace("SECRET", SECRET).encode()) not in held


@pytest.mark.parametrize("text", QUERIES)
def test_urls_have_no_place_for_it(text: str) -> None:
    assert SECRET.encode() not in redacted(target="/b?" + text.replace("SECRET", SECRET))


@pytest.mark.parametrize(
    "line", ["X-Anything: Bearer SECRET", "X-Anything: Basic bWU6SECRET", f"X-Info: {LOGIN}", "X-Info: 42" + LOGIN]
)
def test_fields_have_none(line: str) -> None:
    assert SECRET.encode() not in redacted("", "", "/b", line.replace("SECRET", SECRET))
    answer = f"HTTP/1.1 200 OK\r\n{line.replace('SECRET', SECRET)}\r\n\r\n".encode()
    assert SECRET.encode() not in redacted(response=answer)


@pytest.mark.parametrize(
    "text",
    [
        "pw=640", "pw=1920&ph=1080", "pass=2", "pin=3", "auth=Tolkien", "csrf=1", "accesskey=s", "secret_santa=2024", "sig=short", "verifier=proof-x", "assertion=equal", "mfa=totp", "otp=sms", "auth=0",
        "palabra_clave=casa9", "action=read&key=abc12345", "q=Basic+information", "q=bearer+of+news", "q=password:+help+me",
    ],
)  # fmt: skip
def test_urls_keep_what_tells_pages_apart(text: str) -> None:
    assert f"http://a.test/b?{text}\n".encode() in redacted(target=f"/b?{text}")


@pytest.mark.parametrize(
    "text", ["pin=4711", "pass=hunter", "pw=geheim7", "pin=123456", "cvv=123", "pass=1234", "password=1", "otp=123456"]
)
def test_but_not_what_is_a_pin_or_a_password(text: str) -> None:
    assert text.encode() not in redacted(target=f"/b?{text}")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JSON, query("{ pin: location(x: 1) { pass: y } }")), (JSON, query("query { me { token: id } }")), (JSON, query("input A { password: String }")), (JSON, query("mutation($p:String){login(password: $p){id}}")),
        (JSON, query("mutation($password:String!){login(password:$password){id}}")), (JSON, '{"password":{"type":"string","minLength":8}}'), (JSON, '{"fields":["password","email"]}'), (JSON, '{"note":"Password: see the door"}'),
        (JSON, '{"comment":"my token = 3"}'), (TEXT, "The password is written down; token = none"), (TEXT, "Dear all, bearer of news"), (XML, "<a><name>author</name><value>x</value></a>"), (JSON, '[["user","me"]]'),
        (TEXT, "42 is the answer"), (PARTS, part("\x01\x02 not text", 'name="f"; filename="a.bin"', "Content-Type: application/octet-stream")), ("application/yaml", "author: me\npages:\n  a: b\n"), (JSON, '{"name":"author","value":["me"]}'),
        (JSON, '{"path":"/author","value":"me"}'), (XML, '<a id="7">text: more</a>'), (FORM, "x=<b>text</b>&y=for(;;)"),
    ],
)  # fmt: skip
def test_what_only_looks_like_it_stays(kind: str, body: str) -> None:
    assert redacted(body, kind).endswith(b"\n" + body.encode())
