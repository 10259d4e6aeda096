"""Capturing a site: ask the frontier, fetch, store, read the links, repeat; and go on after a crash."""
