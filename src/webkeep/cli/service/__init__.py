"""The verbs of `webkeep service`."""
