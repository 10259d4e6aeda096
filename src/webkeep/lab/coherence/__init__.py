"""The laboratory for blur and coherence: sites and histories, crawled in virtual time by the product's own code."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.coherence.coherence_report import (
        CoherenceReport as CoherenceReport,
        render_report as render_report,
    )
    from webkeep.lab.coherence.frontier_crawl import (
        CrawlAgreement as CrawlAgreement,
        compare_with_frontier as compare_with_frontier,
    )
    from webkeep.lab.coherence.generated_history import (
        GENERATED_NOTE as GENERATED_NOTE,
        STUDIED_SITES as STUDIED_SITES,
        generate_history as generate_history,
    )
    from webkeep.lab.coherence.history_tables import (
        HISTORY_TABLES as HISTORY_TABLES,
        replay_histories as replay_histories,
    )
    from webkeep.lab.coherence.simulated_tables import (
        SIMULATED_TABLE as SIMULATED_TABLE,
        build_simulated_blocks as build_simulated_blocks,
    )
    from webkeep.lab.coherence.site_history import read_history as read_history
    from webkeep.lab.coherence.strategy_duels import (
        StrategyDuel as StrategyDuel,
        build_duels as build_duels,
        count_verdicts as count_verdicts,
    )
    from webkeep.lab.coherence.synthetic_tables import (
        TABLE_NUMBERS as TABLE_NUMBERS,
        CoherenceExtent as CoherenceExtent,
        build_blocks as build_blocks,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "coherence_report": ("CoherenceReport", "render_report"),
            "frontier_crawl": ("CrawlAgreement", "compare_with_frontier"),
            "generated_history": ("GENERATED_NOTE", "STUDIED_SITES", "generate_history"),
            "history_tables": ("HISTORY_TABLES", "replay_histories"),
            "simulated_tables": ("SIMULATED_TABLE", "build_simulated_blocks"),
            "site_history": ("read_history",),
            "strategy_duels": ("StrategyDuel", "build_duels", "count_verdicts"),
            "synthetic_tables": ("CoherenceExtent", "TABLE_NUMBERS", "build_blocks"),
        },
    )
