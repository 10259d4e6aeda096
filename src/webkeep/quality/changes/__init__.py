"""How pages of an archive changed: verdicts on two observations of a page, and what is noise on its site."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.changes.change_judge import ChangeJudge as ChangeJudge
    from webkeep.quality.changes.site_noise import SiteNoise as SiteNoise, read_hand_rules as read_hand_rules
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__, {"change_judge": ("ChangeJudge",), "site_noise": ("SiteNoise", "read_hand_rules")}
    )
