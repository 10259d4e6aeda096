"""The experiments of `webkeep lab`."""
