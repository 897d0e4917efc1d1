"""Helpers that operators of several chapters share: dynamic values, windows, attention heads, tables."""
