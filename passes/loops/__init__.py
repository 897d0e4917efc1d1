"""Passes on kernels as loops over buffers, down to their entry."""
