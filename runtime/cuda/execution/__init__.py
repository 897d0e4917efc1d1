"""Runs plans: memory, prepared steps, and the arguments of each call."""
