"""Structured computations on tensors as programs of thread blocks on tiles."""
