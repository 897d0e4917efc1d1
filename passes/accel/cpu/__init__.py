"""Programs of thread blocks on the CPU."""
