"""Planned host functions, and the step list by which `@prepare` runs in Python."""
