"""Laws of URLs: joining, canonical forms, lookup keys, ranges, scope."""

import re

import ada_url
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from url_texts import tidy_urls, wild_urls
from webkeep.errors import UsageError
from webkeep.url import UrlMatch, key_range, normalize_url, parse_url, resolve_url, split_url, surt
from webkeep.url.canonical import FETCH_IDENTITY, REPOSITORY_KEY, Recipe, path_steps, query_steps, recipe, site_steps
from webkeep.url.canonical.query_steps import sort_query
from webkeep.url.canonical.recipe_builder import RecipeStep
from webkeep.url.canonical.recipes import CANONICAL, SEED_COMPAT
from webkeep.url.percent_escapes import EVERY_BYTE, PRINTABLE, UNRESERVED, decode_escapes
from webkeep.url.scope import ScopeExtent, exclude_rule, scope_around
from webkeep.url.surt_key_rules import complete_surt
from webkeep.url.surt_prefix import SurtPrefixes, build_surt_form, build_surt_prefix
from webkeep.url.whatwg_url import replace_surrogates

any_text = st.text() | wild_urls | st.text(alphabet=st.characters(categories=["Cs", "Cc", "Lu"]))
STEPS = [
    value
    for module in (path_steps, query_steps, site_steps)
    for value in vars(module).values()
    if isinstance(value, RecipeStep)
]
RECIPES = [FETCH_IDENTITY, CANONICAL, SEED_COMPAT, REPOSITORY_KEY]


@given(any_text, any_text)
def test_joining_is_what_the_standard_says_or_nothing(base: str, ref: str) -> None:
    try:
        expected = ada_url.URL(replace_surrogates(ref), replace_surrogates(base)).href
    except ValueError:
        expected = None
    assert resolve_url(base, ref) == expected


@given(any_text, any_text, st.sampled_from(["latin-1", "shift_jis", "gb18030", "koi8-r", "nonsense"]))
def test_joining_never_raises_and_gives_a_normal_form(base: str, ref: str, encoding: str) -> None:
    joined = resolve_url(base, ref, encoding)
    assert joined is None or (joined.isascii() and normalize_url(joined) == joined)


@given(any_text)
def test_reading_never_raises_and_parts_make_the_whole(text: str) -> None:
    href = normalize_url(text)
    if href is None:
        with pytest.raises(UsageError):
            parse_url(text)
        return
    url = split_url(href)
    userinfo = f"{url.userinfo}@" if url.userinfo else ""
    slashes = "//" if href.startswith(f"{url.scheme}://") else ""
    assert f"{url.scheme}:{slashes}{userinfo}{url.authority}{url.target}{url.fragment}" == href
    assert url.host == ada_url.URL(href).hostname


@given(st.lists(st.sampled_from(STEPS), max_size=len(STEPS)), any_text)
@example([path_steps.decode_unreserved], "http://a.org/%%34%31")
@example([site_steps.drop_www], "http://www.www.foo.org/")
@example([site_steps.merge_schemes, site_steps.drop_default_port], "https://a.org:80/")
@settings(max_examples=500)
def test_any_recipe_is_idempotent(steps: list[RecipeStep], text: str) -> None:
    form = recipe(*steps)(text)
    assert recipe(*steps)(form) == form


@pytest.mark.parametrize("form", [*RECIPES, Recipe(STEPS)], ids=["fetch", "canonical", "compat", "repository", "all"])
@given(url=wild_urls)
def test_recipes_are_idempotent_on_urls(form: Recipe, url: str) -> None:
    href = normalize_url(url)
    assume(href is not None)
    assert href is not None
    assert form(form(href)) == form(href)


@given(st.lists(st.sampled_from(["a=1", "b", "a=2", "c=%20", "", "x=y=z"])))
def test_the_order_of_a_query_is_kept_except_by_sorting(parameters: list[str]) -> None:
    url = "http://a.org/?" + "&".join(parameters)
    expected = "http://a.org/" if url.endswith("?") else url
    assert CANONICAL(url) == expected
    assert recipe(sort_query)(url)[14:].split("&") == sorted(url[14:].split("&"), key=lambda each: each.split("=")[0])


@given(wild_urls)
def test_one_fetch_identity_means_one_request(url: str) -> None:
    href = normalize_url(url)
    assume(href is not None and href.startswith("http"))
    assert href is not None
    before, after = split_url(href), parse_url(FETCH_IDENTITY(href))
    assert (before.origin, before.userinfo, before.target) == (after.origin, after.userinfo, after.target)


@given(wild_urls)
def test_a_safe_canonical_form_is_a_url_of_the_same_host(url: str) -> None:
    href = normalize_url(url)
    assume(href is not None and href.startswith("http"))
    assert href is not None
    assert normalize_url(CANONICAL(href)) == CANONICAL(href)
    assert parse_url(CANONICAL(href)).authority == split_url(href).authority


@given(st.lists(st.sampled_from(["%", "4", "1", "25", "%41", "%2", "5", "x"])).map("".join))
def test_decoding_is_decoding_until_nothing_changes(text: str) -> None:
    for table in (UNRESERVED, PRINTABLE, EVERY_BYTE):
        plain = text
        while True:
            once = re.sub("%([0-9A-Fa-f]{2})", lambda match, table=table: table.get(int(match[1], 16), match[0]), plain)
            if once == plain:
                break
            plain = once
        assert decode_escapes(text, table) == plain


@given(any_text)
def test_a_key_is_one_word_of_ascii_whatever_the_text(text: str) -> None:
    key = surt(text)
    assert re.fullmatch("[!-~]+", key)
    assert key == "".join(complete_surt(text))


@given(st.lists(tidy_urls, min_size=1), tidy_urls)
def test_ranges_hold_exactly_what_matches(urls: list[str], asked: str) -> None:
    host = {url: surt(url).partition(")")[0] for url in [*urls, asked]}
    prefix = key_range(asked, UrlMatch.PREFIX)[0]
    assert prefix.removesuffix("/") == surt(asked).removesuffix("/")
    expected = {
        UrlMatch.EXACT: lambda url: surt(url) == surt(asked),
        UrlMatch.PREFIX: lambda url: surt(url).startswith(prefix),
        UrlMatch.HOST: lambda url: host[url] == host[asked],
        UrlMatch.DOMAIN: lambda url: host[url] == host[asked] or host[url].startswith(host[asked] + ","),
    }
    for match, belongs in expected.items():
        low, high = key_range(asked, match)
        for url in urls:
            assert (low <= surt(url) < high) == belongs(url), (match, url)
            assert (low <= surt(url) + " 20240101000000 {}" < high) == belongs(url), (match, url)


@given(st.lists(tidy_urls), tidy_urls)
def test_a_set_of_prefixes_answers_as_trying_each_would(seeds: list[str], url: str) -> None:
    prefixes = [build_surt_prefix(seed) for seed in seeds]
    assert SurtPrefixes(prefixes).covers(url) == any(build_surt_form(url).startswith(prefix) for prefix in prefixes)


@given(st.lists(tidy_urls, min_size=1), tidy_urls)
def test_wider_extents_take_in_what_narrower_do(seeds: list[str], url: str) -> None:
    allowed = [scope_around(seeds, extent).judge(url).is_allowed for extent in ScopeExtent]
    assert allowed == sorted(allowed)


@given(st.lists(tidy_urls, min_size=1), st.sampled_from(list(ScopeExtent)), tidy_urls)
def test_in_scope_means_in_scope_of_any_seed(seeds: list[str], extent: ScopeExtent, url: str) -> None:
    alone = [scope_around([seed], extent).judge(url).is_allowed for seed in seeds]
    assert scope_around(seeds, extent).judge(url).is_allowed == any(alone)


@given(any_text, st.none() | any_text, st.none() | st.integers())
def test_judging_never_raises(url: str, media_type: str | None, size: int | None) -> None:
    scope = scope_around(
        ["http://example.org/"], ScopeExtent.DOMAIN, [exclude_rule("*a*b*"), exclude_rule("type:text/* size:<9")]
    )
    assert scope.judge(url, media_type, size).reason


@given(any_text)
def test_a_rule_is_read_or_refused_as_an_error_of_the_caller(text: str) -> None:
    for kind in ("", "re:", "size:", "type:", "host:", "surt:"):
        try:
            rule = exclude_rule(kind + text)
        except UsageError:
            continue
        assert rule.conditions
