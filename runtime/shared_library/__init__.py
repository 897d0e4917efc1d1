"""Models as shared libraries for C programs."""
