"""The pages beside replay, and the processes that serve both."""
