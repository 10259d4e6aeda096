"""Templates: pages without their text."""

from __future__ import annotations

from webkeep.document import read_template


def test_text_numbers_and_addresses_are_no_part_of_it() -> None:
    first = read_template(b"<script>load(1, '/a/b')</script><p class=x id=p1 data-id=17><a href=/1>One</a>")
    second = read_template(b"<script>load(2, '/c/d')</script><p class=x id=p2 data-id=18><a href=/2>Two</a>")
    assert first == second


def test_words_that_choose_what_a_script_does_are() -> None:
    first = read_template(b"<script>start('map')</script>")
    assert first != read_template(b"<script>start('list')</script>")
    assert first != read_template(b"<script>stop('map')</script>")
    assert read_template(b"<script src=a.js?v=1></script>") == read_template(b"<script src=a.js?v=2></script>")


def test_hooks_are_what_scripts_can_find() -> None:
    hooks = read_template(
        b'<script src=a.js></script><x-map mode=wide></x-map><i class="card card-news" data-kind=video title="A b">'
        b'<script type=application/json>{"user": {"name": "Ada", "age": 3, "tags": []}}</script>'
    ).hooks
    assert {("tag", "x-map"), ("x-map@mode", "wide"), ("class card", ""), ("class card-", "news")} <= hooks
    assert {
        ("i@data-kind", "video"),
        ("data.user.name", "Ada"),
        ("data.user.age", ""),
        ("data.user.tags", "empty"),
    } <= hooks


def test_a_page_without_scripts_has_no_hooks_but_a_structure() -> None:
    template = read_template(b"<p class=x>")
    assert not template.hooks
    assert not template.scripts
    assert template.structure != read_template(b"<p class=x><b>").structure
    assert read_template(b"<p onclick='go()'>").scripts


def test_broken_data_and_deep_data_do_no_harm() -> None:
    deep = b"[" * 50_000
    for data in (b"{", deep, b'{"a":' * 500 + b"1" + b"}" * 500, b"\xff\xfe\x00"):
        read_template(b"<script src=a></script><script type=application/json>" + data + b"</script>")
