"""What is lost of pages with their missing parts, weighed by what these matter to a reader."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.damage.damage_survey import (
        DamagedPage as DamagedPage,
        DamageFigures as DamageFigures,
        DamageSurvey as DamageSurvey,
        SampledPage as SampledPage,
    )
    from webkeep.quality.damage.page_damage import (
        DAMAGE_WEIGHTS as DAMAGE_WEIGHTS,
        DamageWeights as DamageWeights,
        HeldPart as HeldPart,
        PageDamage as PageDamage,
        PartLoss as PartLoss,
        measure_damage as measure_damage,
    )
    from webkeep.quality.damage.page_parts import (
        PagePart as PagePart,
        PageStructure as PageStructure,
        PartKind as PartKind,
        read_page_structure as read_page_structure,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "damage_survey": ("DamagedPage", "DamageFigures", "DamageSurvey", "SampledPage"),
            "page_damage": ("DAMAGE_WEIGHTS", "DamageWeights", "HeldPart", "PageDamage", "PartLoss", "measure_damage"),
            "page_parts": ("PagePart", "PageStructure", "PartKind", "read_page_structure"),
        },
    )
