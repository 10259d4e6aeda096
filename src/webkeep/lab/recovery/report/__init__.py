"""Figures beside published ones, and the page that shows them."""
