"""Handlers of pages, a module for each kind of thing they show."""
