"""The verbs of `webkeep vault`."""
