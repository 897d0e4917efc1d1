"""Attention as programs of thread blocks: what `accel-from-attention` is made of."""
