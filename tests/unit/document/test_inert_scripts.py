"""Scripts that are proven to do nothing, and those that are not."""

import pytest

from webkeep.document import MAX_INERT_CHARS, is_inert_script


@pytest.mark.parametrize(
    "script",
    [
        "",
        " // nothing but a remark",
        "function add(a, b) { return a * 2 + b }\nfunction twice(a) { return add(a, a) }\n",
        '"use strict"; function greet(name) { if (name) { alert("}" + name) } }',
        "function online_2(a) { return a } function onceMore(a) { return a }",
        "/* fetch('/x') */ function later() { fetch('it') };",
    ],
)
def test_declarations_do_nothing(script: str) -> None:
    assert is_inert_script(script)


@pytest.mark.parametrize(
    "script",
    [
        "fetch('it')",
        "function add(a) { return a } add(1)",
        "function add(a = fetch('it')) { return a }",
        "(function () { go() })()",
        "var location = 'elsewhere'",
        "function onload() { go() }",
        "async function go() {} go()",
        "class A { static { go() } }",
        'function a() { "/*" } go() /* " */',
        "function a() { return /}/ } go() //{",
        "function a() { return `}` }",
        "function a() { {",
        "}",
        "import './other.js'",
        "let a = 1",
        f"function a() {{ {' ' * MAX_INERT_CHARS} }}",
    ],
)
def test_everything_else_may_do_something(script: str) -> None:
    assert not is_inert_script(script)
