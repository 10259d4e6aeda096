"""The notes of client-side states, and the differences of texts in them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.states.portrait_note import (
        PDF_PREFIX as PDF_PREFIX,
        PORTRAIT_PREFIX as PORTRAIT_PREFIX,
        PORTRAIT_TYPE as PORTRAIT_TYPE,
        RENDERED_PREFIX as RENDERED_PREFIX,
        PortraitNote as PortraitNote,
        parse_portrait_note as parse_portrait_note,
    )
    from webkeep.formats.states.state_note import (
        FULL_PAGE_PREFIX as FULL_PAGE_PREFIX,
        NO_PICTURE as NO_PICTURE,
        PING_MARK as PING_MARK,
        ROOT_STATE as ROOT_STATE,
        STATE_TYPE as STATE_TYPE,
        TEXT_PREFIX as TEXT_PREFIX,
        WINDOW_PREFIX as WINDOW_PREFIX,
        StateAction as StateAction,
        StateNote as StateNote,
        StateTransition as StateTransition,
        action_values as action_values,
        compute_state_id as compute_state_id,
        delta_to_parent as delta_to_parent,
        is_state_urn as is_state_urn,
        parse_state_note as parse_state_note,
        rendition_urn as rendition_urn,
        state_urn as state_urn,
        state_urn_prefix as state_urn_prefix,
    )
    from webkeep.formats.states.text_delta import TextDelta as TextDelta, apply_delta as apply_delta
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "portrait_note": (
                "PDF_PREFIX",
                "PORTRAIT_PREFIX",
                "PORTRAIT_TYPE",
                "PortraitNote",
                "RENDERED_PREFIX",
                "parse_portrait_note",
            ),
            "state_note": (
                "FULL_PAGE_PREFIX",
                "NO_PICTURE",
                "PING_MARK",
                "ROOT_STATE",
                "STATE_TYPE",
                "StateAction",
                "StateNote",
                "StateTransition",
                "TEXT_PREFIX",
                "WINDOW_PREFIX",
                "action_values",
                "compute_state_id",
                "delta_to_parent",
                "is_state_urn",
                "parse_state_note",
                "rendition_urn",
                "state_urn",
                "state_urn_prefix",
            ),
            "text_delta": ("TextDelta", "apply_delta"),
        },
    )
