"""Adapters: everything that holds versions of web pages, spoken to in its own language."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.repositories.repository import (
        ALL_TIME as ALL_TIME,
        FetchedVersion as FetchedVersion,
        ListedVersion as ListedVersion,
        ListingPage as ListingPage,
        MissReason as MissReason,
        Repository as Repository,
        RepositoryMiss as RepositoryMiss,
        TimePeriod as TimePeriod,
        VersionFidelity as VersionFidelity,
        VersionResult as VersionResult,
    )
    from webkeep.recover.repositories.repository_traits import (
        DateKind as DateKind,
        KeptForm as KeptForm,
        RepositoryTraits as RepositoryTraits,
        UrlSpelling as UrlSpelling,
        VersionDepth as VersionDepth,
    )
    from webkeep.recover.repositories.repository_transport import RepositoryTimeouts as RepositoryTimeouts
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "repository": (
                "ALL_TIME",
                "FetchedVersion",
                "ListedVersion",
                "ListingPage",
                "MissReason",
                "Repository",
                "RepositoryMiss",
                "TimePeriod",
                "VersionFidelity",
                "VersionResult",
            ),
            "repository_traits": ("DateKind", "KeptForm", "RepositoryTraits", "UrlSpelling", "VersionDepth"),
            "repository_transport": ("RepositoryTimeouts",),
        },
    )
