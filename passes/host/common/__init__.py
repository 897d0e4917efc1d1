"""Utilities of static and dynamic host functions."""
