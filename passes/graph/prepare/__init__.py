"""Passes on values that depend on constants only: computed once, in @prepare, within a budget."""
