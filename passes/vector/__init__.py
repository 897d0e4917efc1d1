"""Passes on vector code: loads, accumulators, addresses, prefetching."""
