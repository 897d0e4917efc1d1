"""Benchmarks: the model set (`bench.models`) and the harness (`python -m bench`)."""
