"""The verbs of `webkeep job`."""
