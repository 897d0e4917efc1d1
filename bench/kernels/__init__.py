"""Kernels alone, against the limits of the machine measured in the same rounds: `python -m bench.kernels`."""
