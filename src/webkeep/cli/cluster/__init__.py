"""The verbs of `webkeep cluster`, each a module with its arguments."""
