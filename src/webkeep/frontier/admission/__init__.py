"""Admission: what becomes of a link when it is found, and of a candidate when its turn has come."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.admission.link_candidates import candidate_from_link as candidate_from_link
    from webkeep.frontier.admission.scope_check import judge_scope as judge_scope
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "link_candidates": ("candidate_from_link",),
            "scope_check": ("judge_scope",),
        },
    )
