"""The laboratory of recovery: lost sites and the repositories that held pieces of them, simulated in virtual time."""

from webkeep.lab.recovery.experiments import EXPERIMENTS, Extent, run
from webkeep.lab.recovery.figure import Agreement, Block, Cell, Column, Row, counted, near_published
from webkeep.lab.recovery.page import page
from webkeep.lab.recovery.served import served
from webkeep.lab.recovery.site_content import origin
from webkeep.lab.recovery.world import World, lost_site

__all__ = [
    "EXPERIMENTS",
    "Agreement",
    "Block",
    "Cell",
    "Column",
    "Extent",
    "Row",
    "World",
    "counted",
    "lost_site",
    "near_published",
    "origin",
    "page",
    "run",
    "served",
]
