"""Attention as a program of thread blocks: the parts of the pass `accel-from-attention`."""
