"""The verbs of `webkeep log`, one module each."""
