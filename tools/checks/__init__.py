"""Checks of a checkout: words, counts, dead code."""
