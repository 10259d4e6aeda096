"""Captures with a browser: pages run in Chromium, all that they ask for recorded, their states stored."""
