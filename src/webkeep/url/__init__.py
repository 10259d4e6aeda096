"""The identity of URLs: reading and joining, canonical forms, lookup keys, scope."""

from webkeep.url.address import MAX_LENGTH, Url, normal, parse, parse_seed, resolve, split
from webkeep.url.key import surt
from webkeep.url.key_range import Match, key_range, read_pattern
from webkeep.url.path import (
    add_directory_slash,
    decode_printable,
    decode_unreserved,
    drop_default_page,
    drop_path_sessions,
    fill_empty_path,
    lowercase_path,
    resolve_dots,
    squeeze_slashes,
    uppercase_path_escapes,
)
from webkeep.url.query import (
    drop_empty_query,
    drop_fragment,
    drop_query_sessions,
    lowercase_query,
    sort_query,
    uppercase_query_escapes,
)
from webkeep.url.recipe import Part, Recipe, Step, recipe, step
from webkeep.url.recipes import CANONICAL, FETCH_IDENTITY, LASTING_IDENTITY, REPOSITORY_KEY, SEED_COMPAT
from webkeep.url.rule_text import exclude, include
from webkeep.url.rules import Condition, Effect, Rule, Subject
from webkeep.url.scope import Bound, Decision, Extent, Scope, Verdict, scope_around
from webkeep.url.site import (
    drop_default_port,
    drop_userinfo,
    drop_www,
    lowercase_host,
    merge_schemes,
    punycode_host,
)
from webkeep.url.suffix import has_known_suffix, registrable_domain
from webkeep.url.surt_prefix import SurtPrefixes, surt_form, surt_prefix

__all__ = [
    "CANONICAL",
    "FETCH_IDENTITY",
    "LASTING_IDENTITY",
    "MAX_LENGTH",
    "REPOSITORY_KEY",
    "SEED_COMPAT",
    "Bound",
    "Condition",
    "Decision",
    "Effect",
    "Extent",
    "Match",
    "Part",
    "Recipe",
    "Rule",
    "Scope",
    "Step",
    "Subject",
    "SurtPrefixes",
    "Url",
    "Verdict",
    "add_directory_slash",
    "decode_printable",
    "decode_unreserved",
    "drop_default_page",
    "drop_default_port",
    "drop_empty_query",
    "drop_fragment",
    "drop_path_sessions",
    "drop_query_sessions",
    "drop_userinfo",
    "drop_www",
    "exclude",
    "fill_empty_path",
    "has_known_suffix",
    "include",
    "key_range",
    "lowercase_host",
    "lowercase_path",
    "lowercase_query",
    "merge_schemes",
    "normal",
    "parse",
    "parse_seed",
    "punycode_host",
    "read_pattern",
    "recipe",
    "registrable_domain",
    "resolve",
    "resolve_dots",
    "scope_around",
    "sort_query",
    "split",
    "squeeze_slashes",
    "step",
    "surt",
    "surt_form",
    "surt_prefix",
    "uppercase_path_escapes",
    "uppercase_query_escapes",
]
