"""Profiles of programs: the time of calls by kernel."""
