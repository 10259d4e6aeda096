"""A site archived where it runs: its application asked in place of the network, its files, and dumps of its data."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.application.application_host import (
        host_application as host_application,
        open_local_site as open_local_site,
    )
    from webkeep.crawl.application.site_data import (
        DATA_FACT as DATA_FACT,
        DataComparison as DataComparison,
        SiteData as SiteData,
        data_facts as data_facts,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "application_host": ("host_application", "open_local_site"),
            "site_data": ("DATA_FACT", "DataComparison", "SiteData", "data_facts"),
        },
    )
