"""The identity of URLs."""
