"""Lowering of programs of thread blocks to the CPU."""
