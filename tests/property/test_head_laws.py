"""Laws of heads: those that are read quickly say what they would say if they were read with care."""

from hypothesis import given, settings, strategies as st

from webkeep.formats.http import split_response
from webkeep.model import Headers, parse_plain_head

patient = settings(max_examples=400)

names = st.sampled_from(["Name", "name", "Other", "X-Ü", "Na me", "Na:me", "", " Name", "Name ", "\tName"])
colons = st.sampled_from([": ", ": ", ": ", ": ", ":", ":  ", " : ", ":\t", ""])
values = st.sampled_from(["value", "a: b", "a b", "x", "ü", "", " ", "v ", "v\t", "a\tb", "a\rb", "\x0b", "\xa0v"])
ends = st.sampled_from(["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r\r\n", "\r\n ", "\r", "\r\n\t"])
lines = st.one_of(
    st.tuples(st.sampled_from(["Name", "Other", "name"]), st.just(": "), st.just("value"), st.just("\r\n")),
    st.tuples(names, colons, values, ends),
).map("".join)
heads = st.lists(lines, max_size=6).map("".join)


@given(heads)
@patient
def test_a_plain_head_says_what_any_head_of_its_lines_says(fields: str) -> None:
    text = f"WARC/1.1\r\n{fields}\r\n"
    plain = parse_plain_head(text) if text.endswith("\r\n\r\n") else None
    if plain is not None:
        version, *rest = text.split("\n")
        assert plain == (version.removesuffix("\r"), Headers.parse_lines(rest, " \t\r"))


@given(st.sampled_from(["HTTP/1.1 200 OK", "HTTP/1.0 404 Not: Found", "http/1.1 200", "HTTP/1.1 20"]), heads)
@patient
def test_an_empty_line_before_a_response_changes_nothing(line: str, fields: str) -> None:
    data = f"{line}\r\n{fields}\r\n<p>\r\n\r\nbody".encode("latin-1")
    head, start = split_response(data)
    # No head that begins so is read quickly.
    assert split_response(b"\r\n" + data) == (head, start + 2)
    assert head.version.upper().startswith("HTTP/1.")
