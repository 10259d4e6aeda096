"""JSON that anybody may have written: every wrong field is one kind of error, in one line."""

import pytest

from webkeep.coherence.certificates import parse_json_fields
from webkeep.coherence.certificates.json_fields import JsonFields
from webkeep.errors import FormatError


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"5", b"\xff{}", b"[" * 100_000, b'{"a":' * 100_000, b'{"a": 1' + b"0" * 9000 + b"}"]
)
def test_what_is_no_object(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_json_fields(data)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", 5),
        ("boolean", 1),
        ("count", True),
        ("count", -1),
        ("count", 1.0),
        ("count", 1 << 60),
        ("optional_count", "1"),
        ("optional_number", float("nan")),
        ("optional_number", float("inf")),
        ("optional_number", -0.5),
        ("optional_number", True),
        ("optional_number", 10**400),
        ("moment", "2024"),
        ("moment", "2024-03-01T12:00:00+01:00"),
        ("moment", "0001-01-01T00:00:00+01:00"),
        ("moment", "9999-12-31T23:59:59-01:00"),
        ("moment", "soon"),
        ("moment", None),
        ("optional_moment", 5),
        ("optional_digest", "md5"),
        ("optional_digest", "SHA1:2CSQDCWL3XRHIYENJRHDZRJ2GLECGRPX"),
        ("rows", {}),
        ("texts", ["a", 5]),
        ("mapping", []),
        ("inner", None),
        ("optional_inner", []),
    ],
)
def test_what_is_of_the_wrong_kind(kind: str, value: object) -> None:
    with pytest.raises(FormatError) as error:
        getattr(JsonFields({"a": value}), kind)("a")
    assert "\n" not in str(error.value)
    with pytest.raises(FormatError, match="missing"):
        getattr(JsonFields({}), kind)("a")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", ""),
        ("boolean", False),
        ("count", 0),
        ("optional_number", 0),
        ("rows", []),
        ("texts", ()),
        ("mapping", {}),
    ],
)
def test_what_is_right_comes_out(kind: str, value: object) -> None:
    given = list(value) if isinstance(value, tuple) else value
    assert getattr(JsonFields({"a": given}), kind)("a") == value
