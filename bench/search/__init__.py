"""The compiler's default schedules against sampled ones: `python -m bench.search`."""
