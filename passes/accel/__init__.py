"""Passes on programs of thread blocks, the `accel` dialect."""
