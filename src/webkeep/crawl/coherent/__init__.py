"""Captures that are to be coherent: rates from all that is known, rounds of visits and revisits."""
