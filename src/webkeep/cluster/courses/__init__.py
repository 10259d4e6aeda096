"""Captures of a cluster that go by sites: which sites there are, and how a worker carries one out."""
