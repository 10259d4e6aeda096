"""Chromium: pages, listeners, client-side states."""
