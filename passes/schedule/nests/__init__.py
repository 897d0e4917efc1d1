"""Primitives that re-emit loop nests from Python, one file per family."""
