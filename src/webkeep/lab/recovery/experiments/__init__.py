"""The published experiments E1 to E6, repeated."""
