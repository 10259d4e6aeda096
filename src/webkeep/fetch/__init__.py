"""The one way to the web."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.fetch.addresses import (
        authority_of as authority_of,
        host_of as host_of,
        is_loopback as is_loopback,
        is_private_name as is_private_name,
        is_public as is_public,
    )
    from webkeep.fetch.credentials import (
        Credentials as Credentials,
        credentials_for as credentials_for,
        split_credentials as split_credentials,
    )
    from webkeep.fetch.local_site import (
        INDEX_NAME as INDEX_NAME,
        LocalFolder as LocalFolder,
        LocalServer as LocalServer,
        LocalSite as LocalSite,
    )
    from webkeep.fetch.request import (
        BeforeNextRequest as BeforeNextRequest,
        FetchFailure as FetchFailure,
        FetchLimits as FetchLimits,
        FetchRequest as FetchRequest,
        FetchResult as FetchResult,
        FileResource as FileResource,
        HeadFilter as HeadFilter,
    )
    from webkeep.fetch.settings import (
        USER_AGENT as USER_AGENT,
        FetchSettings as FetchSettings,
        parse_header as parse_header,
        parse_resolve as parse_resolve,
    )
    from webkeep.fetch.upstream_proxy import parse_proxy as parse_proxy
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "addresses": ("authority_of", "host_of", "is_loopback", "is_private_name", "is_public"),
            "credentials": ("Credentials", "credentials_for", "split_credentials"),
            "local_site": ("INDEX_NAME", "LocalFolder", "LocalServer", "LocalSite"),
            "request": (
                "BeforeNextRequest",
                "FetchFailure",
                "FetchLimits",
                "FetchRequest",
                "FetchResult",
                "FileResource",
                "HeadFilter",
            ),
            "settings": ("FetchSettings", "USER_AGENT", "parse_header", "parse_resolve"),
            "upstream_proxy": ("parse_proxy",),
        },
    )
