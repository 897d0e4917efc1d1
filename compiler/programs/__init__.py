"""Compiled programs: put together, stored in the disk cache, run."""
