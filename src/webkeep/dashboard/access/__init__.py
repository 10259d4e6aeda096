"""Who asks, and whether that may be: the link of the first visit, sessions, and the one place that decides."""
