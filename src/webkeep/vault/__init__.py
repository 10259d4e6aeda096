"""The vault: server components, sealed and erasure-coded, that survive inside a site's own pages, and come back out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.component_sizes import (
        MeasuredComponents as MeasuredComponents,
        measure_components as measure_components,
    )
    from webkeep.vault.page_paths import decode_path as decode_path, encode_path as encode_path
    from webkeep.vault.plan_file import read_plan as read_plan, write_plan as write_plan
    from webkeep.vault.vault_plan import (
        DEFAULT_MAX_PAGE_BYTES as DEFAULT_MAX_PAGE_BYTES,
        CarrierPage as CarrierPage,
        SegmentPlan as SegmentPlan,
        VaultPlan as VaultPlan,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "component_sizes": ("MeasuredComponents", "measure_components"),
            "page_paths": ("decode_path", "encode_path"),
            "plan_file": ("read_plan", "write_plan"),
            "vault_plan": ("DEFAULT_MAX_PAGE_BYTES", "CarrierPage", "SegmentPlan", "VaultPlan"),
        },
    )
