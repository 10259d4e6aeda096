"""Which version is shown: look-up over archives under access rules, fuzzy matching, parts that fit their page, and
why there is none.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.replay.choice.absence import explain_absence as explain_absence
    from webkeep.replay.choice.access_rules import MAX_KEY as MAX_KEY, secret_label as secret_label
    from webkeep.replay.choice.coherent_choice import (
        FittedEmbed as FittedEmbed,
        capture_of as capture_of,
        fit_to_page as fit_to_page,
    )
    from webkeep.replay.choice.collection import (
        END_OF_TIME as END_OF_TIME,
        Collection as Collection,
        Memento as Memento,
        MementoQuery as MementoQuery,
    )
    from webkeep.replay.choice.memento_lookup import MementoLookup as MementoLookup
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "absence": ("explain_absence",),
            "access_rules": ("MAX_KEY", "secret_label"),
            "coherent_choice": ("FittedEmbed", "capture_of", "fit_to_page"),
            "collection": ("Collection", "END_OF_TIME", "Memento", "MementoQuery"),
            "memento_lookup": ("MementoLookup",),
        },
    )
