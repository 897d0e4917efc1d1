"""Lowering of structured computations on tensors to programs of thread blocks on tiles."""
