"""Canonical forms of URLs: recipes of small named steps."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.url.canonical.path_steps import (
        add_directory_slash as add_directory_slash,
        decode_printable as decode_printable,
        decode_unreserved as decode_unreserved,
        drop_default_page as drop_default_page,
        drop_path_sessions as drop_path_sessions,
        fill_empty_path as fill_empty_path,
        lowercase_path as lowercase_path,
        resolve_dots as resolve_dots,
        squeeze_slashes as squeeze_slashes,
        uppercase_path_escapes as uppercase_path_escapes,
    )
    from webkeep.url.canonical.query_steps import (
        drop_empty_query as drop_empty_query,
        drop_fragment as drop_fragment,
        drop_query_sessions as drop_query_sessions,
        drop_sure_query_sessions as drop_sure_query_sessions,
        lowercase_query as lowercase_query,
        sort_query as sort_query,
        uppercase_query_escapes as uppercase_query_escapes,
    )
    from webkeep.url.canonical.recipe_builder import (
        Recipe as Recipe,
        RecipeStep as RecipeStep,
        recipe as recipe,
        step as step,
    )
    from webkeep.url.canonical.recipes import (
        CANONICAL as CANONICAL,
        FETCH_IDENTITY as FETCH_IDENTITY,
        LASTING_IDENTITY as LASTING_IDENTITY,
        REPOSITORY_KEY as REPOSITORY_KEY,
        SEED_COMPAT as SEED_COMPAT,
    )
    from webkeep.url.canonical.session_ids import (
        drop_path_session_ids as drop_path_session_ids,
        is_session_parameter as is_session_parameter,
        is_sure_session_parameter as is_sure_session_parameter,
    )
    from webkeep.url.canonical.site_steps import (
        drop_default_port as drop_default_port,
        drop_userinfo as drop_userinfo,
        drop_www as drop_www,
        lowercase_host as lowercase_host,
        merge_schemes as merge_schemes,
        punycode_host as punycode_host,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "path_steps": (
                "add_directory_slash",
                "decode_printable",
                "decode_unreserved",
                "drop_default_page",
                "drop_path_sessions",
                "fill_empty_path",
                "lowercase_path",
                "resolve_dots",
                "squeeze_slashes",
                "uppercase_path_escapes",
            ),
            "query_steps": (
                "drop_empty_query",
                "drop_fragment",
                "drop_query_sessions",
                "drop_sure_query_sessions",
                "lowercase_query",
                "sort_query",
                "uppercase_query_escapes",
            ),
            "recipe_builder": ("Recipe", "RecipeStep", "recipe", "step"),
            "recipes": ("CANONICAL", "FETCH_IDENTITY", "LASTING_IDENTITY", "REPOSITORY_KEY", "SEED_COMPAT"),
            "session_ids": ("drop_path_session_ids", "is_session_parameter", "is_sure_session_parameter"),
            "site_steps": (
                "drop_default_port",
                "drop_userinfo",
                "drop_www",
                "lowercase_host",
                "merge_schemes",
                "punycode_host",
            ),
        },
    )
