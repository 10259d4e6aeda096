"""What a link is: links and references, the base they are joined with, relations, refreshes, and guesses."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.extract.links.found_link import (
        EMBED_KIND as EMBED_KIND,
        LINK_KINDS as LINK_KINDS,
        FoundLink as FoundLink,
    )
    from webkeep.extract.links.link import (
        NO_PLACE as NO_PLACE,
        WHOLE_VALUE as WHOLE_VALUE,
        Link as Link,
        LinkReference as LinkReference,
        LinkRole as LinkRole,
        ReportedLinks as ReportedLinks,
        new_tuple as new_tuple,
    )
    from webkeep.extract.links.link_base import LinkBase as LinkBase
    from webkeep.extract.links.link_guess import is_absolute_address as is_absolute_address
    from webkeep.extract.links.refresh import refresh_span as refresh_span
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "found_link": ("EMBED_KIND", "FoundLink", "LINK_KINDS"),
            "link": ("Link", "LinkReference", "LinkRole", "NO_PLACE", "ReportedLinks", "WHOLE_VALUE", "new_tuple"),
            "link_base": ("LinkBase",),
            "link_guess": ("is_absolute_address",),
            "refresh": ("refresh_span",),
        },
    )
