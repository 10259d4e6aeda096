"""The laboratory for blur and coherence: sites and histories, crawled in virtual time by the product's own code."""

from webkeep.lab.coherence.agreement import Likeness, frontier_likeness
from webkeep.lab.coherence.cell import Agreement, Block, Cell, Column, Row, counted, near_published
from webkeep.lab.coherence.comparison import Duel, duels, tally
from webkeep.lab.coherence.frontier_crawl import FrontierCrawl, Requests
from webkeep.lab.coherence.generated import NOTE, STUDIED, Studied, generated
from webkeep.lab.coherence.history import Seen, SiteHistory, history_of, read_history
from webkeep.lab.coherence.page import Report, page
from webkeep.lab.coherence.replay import REPLAYED, replayed
from webkeep.lab.coherence.simulated import SIMULATED, simulated_blocks
from webkeep.lab.coherence.tables import TABLES, Extent, blocks
from webkeep.lab.coherence.tree import ShuffledSite, TreeSite
from webkeep.lab.demo.plan import Leaves

__all__ = [
    "NOTE",
    "REPLAYED",
    "SIMULATED",
    "STUDIED",
    "TABLES",
    "Agreement",
    "Block",
    "Cell",
    "Column",
    "Duel",
    "Extent",
    "FrontierCrawl",
    "Leaves",
    "Likeness",
    "Report",
    "Requests",
    "Row",
    "Seen",
    "ShuffledSite",
    "SiteHistory",
    "Studied",
    "TreeSite",
    "blocks",
    "counted",
    "duels",
    "frontier_likeness",
    "generated",
    "history_of",
    "near_published",
    "page",
    "read_history",
    "replayed",
    "simulated_blocks",
    "tally",
]
