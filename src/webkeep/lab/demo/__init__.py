"""The demo site: a living website whose every change is known."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.demo.addresses import HOSTS as HOSTS, DemoAddresses as DemoAddresses
    from webkeep.lab.demo.change_truth import category_of_change as category_of_change
    from webkeep.lab.demo.demo_server import DemoServer as DemoServer
    from webkeep.lab.demo.demo_site import DemoSite as DemoSite
    from webkeep.lab.demo.noise import NoiseSet as NoiseSet, noise_kinds as noise_kinds
    from webkeep.lab.demo.site_files import write_site as write_site
    from webkeep.lab.demo.site_plan import LeafRates as LeafRates, SitePlan as SitePlan, TreeShape as TreeShape
    from webkeep.lab.demo.site_resource import DemoKind as DemoKind
    from webkeep.lab.demo.validators import ValidatorMode as ValidatorMode
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "addresses": ("DemoAddresses", "HOSTS"),
            "change_truth": ("category_of_change",),
            "demo_server": ("DemoServer",),
            "demo_site": ("DemoSite",),
            "noise": ("NoiseSet", "noise_kinds"),
            "site_files": ("write_site",),
            "site_plan": ("LeafRates", "SitePlan", "TreeShape"),
            "site_resource": ("DemoKind",),
            "validators": ("ValidatorMode",),
        },
    )
