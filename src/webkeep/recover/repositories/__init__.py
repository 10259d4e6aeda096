"""Adapters: everything that holds versions of web pages, spoken to in its own language."""
