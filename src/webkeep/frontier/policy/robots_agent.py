"""The name that robots.txt files and pages know us by; apart, as the prepare worker needs no more of the policy."""

ROBOTS_AGENT = "webkeep"
"""Our product token, by which robots.txt files and pages may speak of us."""
