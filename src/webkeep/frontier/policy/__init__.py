"""What a person allows a capture to do and how gently, and in which order candidates are asked for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.policy.crawl_policy import (
        CrawlPolicy as CrawlPolicy,
        HeldPages as HeldPages,
        HostPolicy as HostPolicy,
        RobotsMode as RobotsMode,
        ScopeJudge as ScopeJudge,
    )
    from webkeep.frontier.policy.ranking import STRATEGIES as STRATEGIES, CandidateRanking as CandidateRanking
    from webkeep.frontier.policy.robots_agent import ROBOTS_AGENT as ROBOTS_AGENT
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "crawl_policy": ("CrawlPolicy", "HeldPages", "HostPolicy", "RobotsMode", "ScopeJudge"),
            "ranking": ("CandidateRanking", "STRATEGIES"),
            "robots_agent": ("ROBOTS_AGENT",),
        },
    )
