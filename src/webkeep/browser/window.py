"""The window that all pages are shown in."""

WIDTH, HEIGHT = 1280, 960
