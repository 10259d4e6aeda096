"""Bytes to values and back: the standard formats."""
