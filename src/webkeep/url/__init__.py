"""The identity of URLs: reading and joining, canonical forms, lookup keys, scope."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.url.linear_pattern import LinearPattern as LinearPattern
    from webkeep.url.public_suffix import has_known_suffix as has_known_suffix, registrable_domain as registrable_domain
    from webkeep.url.surt_key import surt as surt
    from webkeep.url.surt_range import (
        UrlMatch as UrlMatch,
        key_range as key_range,
        parse_url_pattern as parse_url_pattern,
    )
    from webkeep.url.whatwg_url import (
        Url as Url,
        first_directory as first_directory,
        is_robots_url as is_robots_url,
        is_urn as is_urn,
        normalize_url as normalize_url,
        parse_seed as parse_seed,
        parse_url as parse_url,
        resolve_url as resolve_url,
        split_url as split_url,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "linear_pattern": ("LinearPattern",),
            "public_suffix": ("has_known_suffix", "registrable_domain"),
            "surt_key": ("surt",),
            "surt_range": ("UrlMatch", "key_range", "parse_url_pattern"),
            "whatwg_url": (
                "Url",
                "first_directory",
                "is_robots_url",
                "is_urn",
                "normalize_url",
                "parse_seed",
                "parse_url",
                "resolve_url",
                "split_url",
            ),
        },
    )
