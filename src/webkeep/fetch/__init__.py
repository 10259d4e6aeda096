"""The one door to the web."""
