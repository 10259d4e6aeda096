import pytest

from webkeep.replay.choice.fuzzy_match import are_same_parameters, fuzzy_url, replace_callback


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a/x?_=1709294400123", "http://a/x?_=1799999999999"),
        ("http://a/x?b=1&nocache=k808vtmzjy", "http://a/x?nocache=zz&b=1"),
        ("http://a/x?r=0.8231872371&q=1", "http://a/x?q=1&r=0.111111112"),
        ("http://a/x?1709294400123", "http://a/x?1709294400999"),
        ("http://a/x?callback=jQuery1_2&q=1", "http://a/x?callback=jQuery9_9&q=1"),
        ("http://a/x?t=1709294400", "http://a/x"),
        ("http://a/x?a=1&b=2", "http://a/x?b=2&a=1"),
    ],
)
def test_what_differs_by_chance_is_alike(one: str, other: str) -> None:
    left, right = fuzzy_url(one), fuzzy_url(other)
    assert (left.before, left.parameters) == (right.before, right.parameters)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a/x?id=1", "http://a/x?id=2"),
        ("http://a/x?t=news", "http://a/x?t=sport"),
        ("http://a/x?page=2", "http://a/x"),
        ("http://a/x", "http://a/y"),
        ("http://a/x?v=1", "http://b/x?v=1"),
        ("http://a/x?callback=alert(1)", "http://a/x?callback=f"),
    ],
)
def test_what_differs_by_intent_is_not(one: str, other: str) -> None:
    left, right = fuzzy_url(one), fuzzy_url(other)
    assert (left.before, left.parameters) != (right.before, right.parameters)


@pytest.mark.parametrize(
    ("held", "asked", "same"),
    [
        ("token=redacted&q=1", "q=1&token=abc", True),
        ("name=a&password=[redacted]", "name=a&password=b", True),
        ("a=redacted&a=2", "a=1&a=2", True),
        ("token=redacted&q=1", "q=2&token=abc", False),
        ("token=redacted", "other=abc", False),
        ("token=redacted", "token=a&token=b", False),
        ("token=abc", "token=redacted", False),
    ],
)
def test_secrets_that_were_left_out_may_have_been_anything(held: str, asked: str, same: bool) -> None:
    assert are_same_parameters(fuzzy_url(f"?{held}").parameters, fuzzy_url(f"?{asked}").parameters) is same


@pytest.mark.parametrize(
    ("content", "made"),
    [
        (b"old({});", b"new({});"),
        (b"  /**/ old ( 1 )", b"  /**/ new ( 1 )"),
        (b"typeof old === 'function' && old(1)", b"typeof new === 'function' && old(1)"),
        (b"older({})", b"older({})"),
        (b"x.old({})", b"x.old({})"),
        (b"", b""),
    ],
)
def test_a_callback_gets_its_name(content: bytes, made: bytes) -> None:
    assert replace_callback(content, "old", "new") == made


def test_a_hostile_query_is_read_in_no_time() -> None:
    assert len(fuzzy_url("http://a/?" + "&" * 100_000 + "a=" + "1" * 100_000).parameters) == 1
