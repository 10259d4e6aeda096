"""The verbs of `webkeep job` for a service that is elsewhere, by its API."""
