"""Which URL is next, and from when on it may be asked for; decides, never waits."""

from webkeep.frontier.action import Action, Dispatch, Drained, WaitUntil
from webkeep.frontier.answer import Again, Answer, Settled, Verdict
from webkeep.frontier.book import Book, Note, Settlement
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.frontier import Frontier
from webkeep.frontier.host import Host, host_and_origin, host_of
from webkeep.frontier.ledger import DelayChange, HostLedger
from webkeep.frontier.memory import MemoryBook
from webkeep.frontier.policy import HostPolicy, Policy, RobotsMode
from webkeep.frontier.robots import NoRobots, RobotsFile, RobotsNews, RobotsUnreachable, robots_news
from webkeep.frontier.strategy import STRATEGIES, BestFirst, BreadthFirst, DepthFirst, Strategy
from webkeep.frontier.suspicion import Kind
from webkeep.frontier.traps import Trap

__all__ = [
    "STRATEGIES",
    "Action",
    "Again",
    "Answer",
    "BestFirst",
    "Book",
    "BreadthFirst",
    "Candidate",
    "DelayChange",
    "DepthFirst",
    "Dispatch",
    "Drained",
    "Frontier",
    "Host",
    "HostLedger",
    "HostPolicy",
    "Kind",
    "MemoryBook",
    "NoRobots",
    "Note",
    "Policy",
    "RobotsFile",
    "RobotsMode",
    "RobotsNews",
    "RobotsUnreachable",
    "Role",
    "Settled",
    "Settlement",
    "Strategy",
    "Trap",
    "Verdict",
    "WaitUntil",
    "host_and_origin",
    "host_of",
    "robots_news",
]
