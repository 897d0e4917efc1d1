"""Writes models as shared libraries for C programs."""
