"""Values of a wrong type: each is told in one line that names the argument, before anything is done."""

import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import webkeep
from webkeep.api.arguments.call_values import list_texts
from webkeep.errors import UsageError

FUNCTIONS = [name for name in dir(webkeep) if inspect.isfunction(getattr(webkeep, name)) and name != "diff_text"]
PLAN_OPTIONS = webkeep.CaptureOptions.__annotations__
PARAMETERS = {name: list(inspect.signature(getattr(webkeep, name)).parameters) for name in FUNCTIONS}
CASES = [
    (name, each)
    for name, every in PARAMETERS.items()
    for each in every
    if each not in PLAN_OPTIONS or not set(PLAN_OPTIONS) <= set(every)
]


class Thing:
    """What no option can be."""

    def __repr__(self) -> str:
        return "Thing()" * 100


def call(name: str, given: dict[str, Any]) -> Any:
    """Call a function with what it needs, all of it naming nothing that is there, but for what is given."""
    function = getattr(webkeep, name)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for each in inspect.signature(function).parameters.values():
        is_needed = each.default is each.empty
        if each.name not in given and not is_needed:
            continue
        value = given.get(each.name, "nowhere")
        if each.kind is each.VAR_POSITIONAL:
            args.append(value)
        else:
            kwargs[each.name] = value
    return function(*args, **kwargs)


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_what_no_argument_can_be_is_told_by_its_name(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=rf"^{re.sub('[-_]', '[-_]', argument)}\b.*; give ") as told:
        call(name, {argument: Thing()})
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 400
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", PLAN_OPTIONS)
def test_what_no_option_of_a_plan_can_be_is_told_in_one_line(option: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        call("capture", {"seeds": "http://example.org/", "into": tmp_path / "a", option: Thing()})
    assert "\n" not in str(told.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "given", "line"),
    [
        ("serve", {"port": "80"}, "port cannot be '80'; give a whole number"),
        ("serve", {"port": True}, "port cannot be True; give a whole number"),
        ("serve", {"words": "no"}, "words cannot be 'no'; give True or False"),
        ("serve", {"proxy_at": 2024}, "proxy_at cannot be 2024; give a Moment or a datetime or a date or a text"),
        ("serve", {"access": {"a": "b"}}, "access cannot be {'a': 'b'}; give a text or a list of texts"),
        ("serve", {"access": ["+a", 5]}, "access cannot hold 5; give a text, or a list of texts"),
        ("record", {"redact": True}, "redact cannot be True; give a text or a list of texts or False"),
        ("record", {"robots": 5}, "robots cannot be 5; give 'obey' or 'ignore'"),
        ("recover", {"reach": "far"}, "reach cannot be 'far'; give a number"),
        ("recover", {"on_note": "print"}, "on_note cannot be 'print'; give a function"),
        ("recover", {"policy": 5}, "policy cannot be 5; give 'naive' or 'knowledgeable' or 'exhaustive' or 'sparing'"),
        ("mirror", {"archive": b"a"}, "archive cannot be b'a'; give a text or a Path"),
        ("mirror", {"freeze": 5}, "freeze cannot be 5; give a text or a list of texts"),
        ("capture", {"seeds": ["a", "b"]}, "seeds are given one by one; put a star before the list, as in f(*seeds)"),
        ("capture", {"seeds_from": 5}, "seeds_from cannot be 5; give a text or a Path or a list of paths"),
        ("open", {"write": "r"}, "write cannot be 'r'; give True or False"),
    ],
)
def test_the_line_says_what_to_give(name: str, given: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as told:
        call(name, given)
    assert str(told.value) == line


def test_it_is_told_to_programs_that_wait_as_well() -> None:
    port: Any = "80"

    async def serve() -> None:
        async with webkeep.aio.serve("nowhere", port=port):
            pass

    with pytest.raises(UsageError, match="port cannot be '80'; give a whole number"):
        asyncio.run(serve())


def test_none_is_the_same_as_not_given() -> None:
    nothing: Any = None
    for name in ("verify", "mirror", "export", "remove", "serve"):
        options = [
            each
            for each in inspect.signature(getattr(webkeep, name)).parameters.values()
            if each.default is not each.empty
        ]
        with pytest.raises(webkeep.WebkeepError) as told:
            call(name, {each.name: nothing for each in options})
        with pytest.raises(webkeep.WebkeepError) as without:
            call(name, {})
        assert str(told.value) == str(without.value)


def test_what_has_no_place_is_pythons_to_tell() -> None:
    function: Any = webkeep.verify
    with pytest.raises(TypeError, match="unexpected keyword argument 'deep'"):
        function("nowhere", deep=True)
    with pytest.raises(TypeError, match="positional argument"):
        function("nowhere", "else")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'into'"):
        webkeep.capture("http://example.org/")  # type: ignore[call-arg]


def test_one_text_is_one_text() -> None:
    assert list_texts("ab", "access") == list_texts(["ab"], "access") == list_texts(iter(["ab"]), "access") == ("ab",)
