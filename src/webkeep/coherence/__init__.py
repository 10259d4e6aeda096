"""Blur and coherence of captures, and the schedules that optimise them: pure functions over rates and times."""
