"""How often pages change: estimates from looks at them, hints of servers and sitemaps, the rate table of a crawl."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.change.rates.observation_pairs import (
        ObservationPair as ObservationPair,
        ObservationPairs as ObservationPairs,
        pair_observations as pair_observations,
    )
    from webkeep.change.rates.rate_estimators import (
        Poll as Poll,
        hinted_rate as hinted_rate,
        history_rate as history_rate,
    )
    from webkeep.change.rates.rate_hints import RateMean as RateMean, frequency_rate as frequency_rate
    from webkeep.change.rates.rate_table import (
        ChangeRate as ChangeRate,
        RateSource as RateSource,
        RateTable as RateTable,
    )
    from webkeep.change.rates.url_rows import UrlRows as UrlRows
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "observation_pairs": ("ObservationPair", "ObservationPairs", "pair_observations"),
            "rate_estimators": ("Poll", "hinted_rate", "history_rate"),
            "rate_hints": ("RateMean", "frequency_rate"),
            "rate_table": ("ChangeRate", "RateSource", "RateTable"),
            "url_rows": ("UrlRows",),
        },
    )
