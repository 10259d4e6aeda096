"""Simulated sites and the demo site."""
