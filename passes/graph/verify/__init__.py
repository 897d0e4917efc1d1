"""Verification passes on graphs."""
