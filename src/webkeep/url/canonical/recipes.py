"""The canonical forms in use, each a recipe of steps: which URLs need one request, by what a page is known in another
session, which URLs name one page, and the key under which the spellings of archives meet.
"""

from __future__ import annotations

from webkeep.url.canonical.path_steps import (
    decode_printable,
    decode_unreserved,
    drop_default_page,
    drop_path_sessions,
    fill_empty_path,
    resolve_dots,
    squeeze_slashes,
    uppercase_path_escapes,
)
from webkeep.url.canonical.query_steps import (
    drop_empty_query,
    drop_fragment,
    drop_query_sessions,
    drop_sure_query_sessions,
    uppercase_query_escapes,
)
from webkeep.url.canonical.recipe_builder import recipe
from webkeep.url.canonical.site_steps import (
    drop_default_port,
    drop_userinfo,
    drop_www,
    lowercase_host,
    merge_schemes,
    punycode_host,
)

FETCH_IDENTITY = recipe(lowercase_host, drop_default_port, fill_empty_path, drop_fragment)
"""Two URLs with one fetch identity need one request."""

LASTING_IDENTITY = FETCH_IDENTITY.with_(drop_path_sessions, drop_sure_query_sessions)
"""By what a page is known again in another session."""

SEED_COMPAT = recipe(
    lowercase_host,
    fill_empty_path,
    decode_printable,
    uppercase_path_escapes,
    drop_path_sessions,
    resolve_dots,
    squeeze_slashes,
    drop_default_page,
    uppercase_query_escapes,
    drop_query_sessions,
    drop_fragment,
)
"""The seven rules by which the first reconstruction of lost websites told URLs apart, with their lossy decoding."""

CANONICAL = SEED_COMPAT.without(decode_printable).with_(
    punycode_host, drop_userinfo, drop_default_port, decode_unreserved, drop_empty_query
)
"""Two URLs with one canonical form almost surely name one page: the seven rules made safe.

It is a key: keep every spelling seen beside it, for archives must be asked in theirs.
"""

REPOSITORY_KEY = CANONICAL.with_(merge_schemes, drop_www)
"""The key under which the spellings of different archives meet: also without `www.` and the choice of http or https.

Switch on `lowercase_path` and `lowercase_query` for a server that ignored case, `add_directory_slash` where archives
lost final slashes, and `sort_query` where the order of parameters is known not to matter.
"""
